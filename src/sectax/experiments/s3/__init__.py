"""What does bucket encryption cost a client of S3?"""
