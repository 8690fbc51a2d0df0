"""What does a web application firewall in front of a service cost?"""
