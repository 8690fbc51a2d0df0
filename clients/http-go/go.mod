module sectax/http-client

go 1.24.0

require sectax/kit v0.0.0

replace sectax/kit => ../kit-go
