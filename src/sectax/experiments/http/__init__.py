"""Any two URLs: the door for every service of the user's."""
