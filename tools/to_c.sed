# A text file as C string literals, one a line; indents and lines of // comment are left out.
/^[[:space:]]*\/\//d
s/^[[:space:]]*//
s/[\\"]/\\&/g
s/^/"/
s/$/\\n"/
