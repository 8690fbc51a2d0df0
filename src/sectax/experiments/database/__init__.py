"""What do TLS and passwords cost the clients of PostgreSQL?"""
