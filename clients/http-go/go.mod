module sectax/http-client

go 1.24.0
