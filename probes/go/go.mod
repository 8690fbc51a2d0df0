module sectax/go-probe

go 1.26.0

require (
	github.com/golang-jwt/jwt/v5 v5.3.1
	golang.org/x/crypto v0.59.0
	golang.org/x/sys v0.50.0
)
