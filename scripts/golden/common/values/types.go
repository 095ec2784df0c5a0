package values

// The named types below are the shapes that differ in go-spew's text.

type (
	// Name is a named string, as v1.Protocol.
	Name string
	// Count is a named integer, as resource.Scale.
	Count int32
	// Flag is a named bool.
	Flag bool
	// Ratio is a named float.
	Ratio float32
	// Raw is a named list of bytes.
	Raw []byte
	// Word and Words are as big.Word and big.nat.
	Word uint
	// Words is a named list of a named integer.
	Words []Word
	// Names is a named list.
	Names []Name
	// Limits is a named map, as v1.ResourceList.
	Limits map[Name]Amount
	// Block is a named array.
	Block [4]uint8
	// Any is a named empty interface.
	Any interface{}
)

// Empty has no fields.
type Empty struct{}

// Amount has unexported fields, as resource.Quantity.
type Amount struct {
	value int64
	scale Count
	text  string
	Unit  Name
}

// Point has fields without methods and serves as a map key.
type Point struct {
	X, Y int
}

// Spoken has methods that DisableMethods must keep out of the text.
type Spoken struct{ Word string }

// String would change the text if methods were called.
func (s Spoken) String() string { return "spoken " + s.Word }

// Failed is an error whose message must not show.
type Failed struct{ Code int }

// Error would change the text if methods were called.
func (f *Failed) Error() string { return "failed" }

// Inner is embedded by value and by pointer.
type Inner struct {
	Label string
	Next  *Inner
}

// ByValue embeds a struct, as v1.Probe does.
type ByValue struct {
	Inner
	After bool
}

// ByPointer embeds a pointer to a struct.
type ByPointer struct {
	*Inner
	After bool
}

// EmbedsName embeds a type that is not a struct.
type EmbedsName struct {
	Name
	Count
}

// Everything has a field of every kind.
type Everything struct {
	B    bool
	I    int
	I8   int8
	I16  int16
	I32  int32
	I64  int64
	U    uint
	U8   uint8
	U16  uint16
	U32  uint32
	U64  uint64
	Uptr uintptr
	F32  float32
	F64  float64
	C64  complex64
	C128 complex128
	S    string
	L    []string
	A    [2]int
	M    map[string]int
	P    *int
	PP   **int
	E    interface{}
	Z    Empty
	N    Name
	R    Raw
	St   Point
	An   struct{ Deep struct{ Deeper []int } }
	LP   []*int
	MP   map[string]*Point
	LE   []interface{}
	ME   map[string]interface{}
}
