"""What experiments with a server share: where it is (`--endpoint`), and the folder of one that runs here."""
