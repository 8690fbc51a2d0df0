"""The function's side: instances, the APIs that a runtime and its extensions speak, and what is measured of them."""
