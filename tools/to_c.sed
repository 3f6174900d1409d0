# A text file as C string literals, one a line; indents and lines of // comment are left out, and
# `export` where a file is a module of the page as well.
/^[[:space:]]*\/\//d
s/^[[:space:]]*//
s/^export //
s/[\\"]/\\&/g
s/^/"/
s/$/\\n"/
