"""The cost of a web application firewall in front of a service."""
