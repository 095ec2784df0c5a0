module hashcompat/scripts/schemas

go 1.21
