module sectax/tls-ends

go 1.26.0
