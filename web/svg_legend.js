// ---- the legend: a click on a kind of code shows it alone, a click on another adds nothing

const legend = bar.querySelector('.legend');
let chosenKind = -1;

const kindOf = i => tree.few[i] ? -2 : Math.floor(looks[tree.name[i]] / data.shades);

function choose(kind) {
	chosenKind = kind === chosenKind ? -1 : kind;
	for (const key of legend.querySelectorAll('.key')) {
		const isOn = Number(key.dataset.kind) === chosenKind;
		key.setAttribute('class', isOn ? 'key on' : 'key');
		key.setAttribute('aria-pressed', isOn);
	}
	paint(painted);
	showState();
}

function makeLegend() {
	const rest = legend.querySelector('.rest');
	if (rest)
		rest.remove();
	for (const key of legend.querySelectorAll('.key')) {
		const title = element('title', '', key);
		title.textContent = 'Self: without what it calls. Total: with it. Click to highlight.';
		key.setAttribute('role', 'button');
		key.setAttribute('tabindex', 0);
		key.addEventListener('click', () => choose(Number(key.dataset.kind)));
		key.addEventListener('keydown', event => {
			if (event.key === 'Enter' || event.key === ' ') {
				event.preventDefault();
				event.stopPropagation();
				choose(Number(key.dataset.kind));
			}
		});
	}
}

const LEGEND_STEP = 16;  // from one line of it to the next

// Places the entries in as many lines as they need. A window too low for that leaves out the last
// ones; of kinds of code these have the least weight. Returns the number of lines.
function fitLegend(room) {
	const most = Math.max(Math.floor(window.innerHeight / 4 / LEGEND_STEP), 1);
	const top = Number(legend.getAttribute('y')) + factsLine;
	let x = 0, line = 0;
	for (const entry of [...legend.children].filter(child => child.localName === 'tspan')) {
		entry.style.display = '';
		const wide = entry.getComputedTextLength();
		if (x && x + wide - SPACE > room) {
			x = 0;
			line++;
		}
		entry.style.display = line < most ? '' : 'none';
		entry.setAttribute('x', PAD + x);
		entry.setAttribute('y', top + line * LEGEND_STEP);
		x += wide;
	}
	if (!x)
		fit(legend, room);
	return Math.min(line + 1, most);
}
