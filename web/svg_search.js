// ---- searching

let query = '';
let matchCase = null;    // null: as the letters typed say
let pattern = null, hits = null;
let stackHit = null;     // of the file's nodes: is there a match in it or above?

const minds = text => matchCase === null ? /[A-Z]/.test(text) : matchCase;

function find(text) {
	let wrong = false;
	query = text;
	pattern = null;
	if (text) {
		try {
			pattern = new RegExp(text, minds(text) ? 'u' : 'iu');
		} catch (_) {
			wrong = true;
		}
	}
	search.classList.toggle('wrong', wrong);
	search.setAttribute('aria-invalid', wrong);
	hits = stackHit = null;
	if (pattern) {
		hits = Uint8Array.from(names, (name, i) => pattern.test(name)
			|| (labels[i] && pattern.test(labels[i])) ? 1 : 0);
		stackHit = new Uint8Array(count);
		for (let i = 0; i < count; i++)
			stackHit[i] = hits[base.name[i]] | (i ? stackHit[base.parent[i]] : 0);
	}
	report(wrong);
	paint(painted);
	showState();
	say();
}

// The weight of the stacks that come by `i` and hold a match, each counted once.
function hitWeight(i) {
	let weight = 0;
	if (tree === base) {
		for (let k = i; k < base.end[i]; k++)
			if (stackHit[k])
				weight += base.self[k];
	} else {
		for (const end of tree.ends[i])
			if (stackHit[end])
				weight += base.self[end];
	}
	return weight;
}

function report(wrong) {
	if (wrong || !hits) {
		tell(wrong ? 'not a regular expression' : '');
		return;
	}
	let found = 0;
	for (const hit of hits)
		found += hit;
	const all = share(hitWeight(0), tree.total[0]);
	const words = zoomed ? share(hitWeight(zoomed), tree.total[zoomed]) + ' of the zoomed frame, '
		+ all + ' of all; ' : all + ' matches, ';
	tell(words + grouped(found) + (found === 1 ? ' name' : ' names'));
}

// From frame to frame that matches, row by row as they are drawn.
function nextHit(step) {
	if (!hits)
		return;
	const list = [];
	for (const row of rows)
		for (const i of row.nodes)
			if (hits[tree.name[i]])
				list.push(i);
	if (!list.length)
		return;
	const place = list.indexOf(at);
	walkTo(list[place < 0 ? (step > 0 ? 0 : list.length - 1)
		: (place + step + list.length) % list.length]);
}
