package v1 // ÿ
