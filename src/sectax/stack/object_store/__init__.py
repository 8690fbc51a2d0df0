"""S3 servers on this machine. One file per kind of server: how it is started, checked and stopped (`minio.py`)."""
