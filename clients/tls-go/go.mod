module sectax/tls-ends

go 1.26.0

require sectax/kit v0.0.0

replace sectax/kit => ../kit-go
