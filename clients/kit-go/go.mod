module sectax/kit

go 1.24.0
