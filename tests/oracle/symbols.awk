# Compares answers with facts. First file: facts as symbols.sh writes them. Second file, in order
# of address: "vaddr start size name addr2line's-name".
#
# What covers an address is found here the plain way: of the symbols with a size that reach over
# it, those that begin last; without any, the last symbol before it if that has no size and its
# section reaches so far; without that, the PLT slot that objdump names.

function hex(text,    i, value)
{
	value = 0
	for (i = 1; i <= length(text); i++)
		value = value * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
	return value
}

function size_of(text)
{
	return text ~ /^0x/ ? hex(substr(text, 3)) : text + 0
}

BEGIN {
	codes = symbols = slots = next_symbol = opens = is_ready = 0
}

FNR == NR && $1 == "X" {
	is_code[$2] = 1
	code_start[codes] = hex($3)
	code_end[codes] = hex($3) + hex($4)
	code_name[codes++] = $5
	next
}

FNR == NR && $1 == "Y" {
	if ($4 != "FUNC" && $4 != "IFUNC" && !($4 == "NOTYPE" && $5 in is_code && $6 !~ /^[$.]/))
		next
	name = $6
	sub(/@.*/, "", name)
	key = $2 " " name
	if (key in known && known[key] >= size_of($3))
		next
	known[key] = size_of($3)
	symbol_start[symbols] = hex($2)
	symbol_size[symbols] = size_of($3)
	symbol_name[symbols] = name
	if ($4 == "IFUNC") {
		indirect[$2] = indirect[$2] " " name " "
		is_indirect[name] = 1
	}
	symbols++
	next
}

FNR == NR && $1 == "P" {
	slot[hex($2)] = $3
	slots++
	next
}

FNR == NR { next }

# The facts are complete: symbols in order of address, by a merge sort of their numbers.
FNR != NR && !is_ready {
	is_ready = 1
	for (i = 0; i < symbols; i++)
		order[i] = i
	for (width = 1; width < symbols; width *= 2) {
		for (low = 0; low < symbols; low += 2 * width) {
			middle = low + width < symbols ? low + width : symbols
			high = low + 2 * width < symbols ? low + 2 * width : symbols
			a = low; b = middle
			for (i = low; i < high; i++) {
				if (a < middle && (b >= high ||
				    symbol_start[order[a]] <= symbol_start[order[b]]))
					merged[i] = order[a++]
				else
					merged[i] = order[b++]
			}
		}
		for (i = 0; i < symbols; i++)
			order[i] = merged[i]
	}
}

function section_of(address,    i)
{
	for (i = 0; i < codes; i++)
		if (address >= code_start[i] && address < code_end[i])
			return i
	return -1
}

# Names that may be given to `address`, between blanks; "" where none may.
function expected_at(address,    i, names, best, kept)
{
	while (next_symbol < symbols && symbol_start[order[next_symbol]] <= address) {
		if (symbol_size[order[next_symbol]] > 0)
			open[opens++] = order[next_symbol]
		next_symbol++
	}
	kept = 0
	best = -1
	for (i = 0; i < opens; i++) {
		if (symbol_start[open[i]] + symbol_size[open[i]] <= address)
			continue
		open[kept++] = open[i]
		if (symbol_start[open[kept - 1]] > best)
			best = symbol_start[open[kept - 1]]
	}
	opens = kept
	names = ""
	for (i = 0; i < opens; i++)
		if (symbol_start[open[i]] == best)
			names = names " " symbol_name[open[i]] " "
	if (names != "" || next_symbol == 0)
		return names
	best = symbol_start[order[next_symbol - 1]]
	if (section_of(address) < 0 || section_of(address) != section_of(best))
		return ""
	for (i = next_symbol - 1; i >= 0 && symbol_start[order[i]] == best; i--) {
		if (symbol_size[order[i]] > 0)
			return ""
		names = names " " symbol_name[order[i]] " "
	}
	return names
}

# objdump's name of the slot that `start` begins.
function check_slot(start, name,    addend)
{
	if (slot[start] == name)
		return ""
	sub(/@plt$/, "", name)
	# A static program's slots all call indirect functions, and objdump names none of them.
	if (slots == 0 && name in is_indirect) {
		resolved++
		return ""
	}
	if (slot[start] ~ /^\*ABS\*\+0x/) {
		addend = slot[start]
		sub(/^\*ABS\*\+0x/, "", addend)
		sub(/@plt$/, "", addend)
		while (length(addend) < 16)
			addend = "0" addend
		if (index(indirect[addend], " " name " ")) {
			resolved++
			return ""
		}
	}
	return "objdump says " (slot[start] == "" ? "nothing" : slot[start])
}

function differ(line, why)
{
	if (differences++ < 20)
		print "not equal: " line ": " why
}

{
	total++
	address = hex($1)
	names = expected_at(address)
	if ($4 == "-" && names == "" && section_of(address) < 0) {
		outside++
	} else if ($4 == "-" && names == "") {
		none++
		at = section_of(address)
		if (code_name[at] ~ /^\.plt/)
			plt_heads++
	} else if ($4 ~ /@plt$/ && names == "") {
		why = check_slot(hex($2), $4)
		if (why != "")
			differ($0, why)
		plt++
	} else if (index(names, " " $4 " ")) {
		named++
	} else {
		differ($0, "reference says" (names == "" ? " nothing" : names))
	}
	if ($5 != "") {
		by_addr2line = $5
		sub(/@.*/, "", by_addr2line)
		if (by_addr2line == $4)
			same++
		else if (index(names, " " by_addr2line " "))
			aliases++
		else if (by_addr2line == "??" && $4 ~ /@plt$/)
			more_plt++
		else if (by_addr2line == "??" && $4 != "-")
			unknown++
		else if ($4 == "-")
			gaps++
		else if (differing++ < 5)
			print "addr2line: " $0
	}
}

END {
	printf "summary: %d addresses, %d named, ", total, named
	printf "%d in PLT slots (%d of indirect functions), ", plt, resolved
	printf "%d in gaps between symbols, of these %d in PLT headers, ", none, plt_heads
	printf "%d outside of sections, %d differ\n", outside, differences
	if (same > 0) {
		printf "addr2line -f: %d the same, %d another name of the same function, ", same, aliases
		printf "%d in PLT slots and %d elsewhere that it does not name, ", more_plt, unknown
		printf "%d in gaps where it takes the symbol before, %d differ\n", gaps, differing
	}
}
