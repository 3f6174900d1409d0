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
	fitLegend(barWidth - 2 * PAD);
	paint(painted);
	showState();
}

function makeLegend() {
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

// Leaves out the last pieces; of kinds of code the first is the program, then they have least
// weight at the end. The rest of the first one is cut.
function fitLegend(room) {
	const pieces = [...legend.children].filter(piece => piece.localName === 'tspan');
	for (const piece of pieces)
		piece.style.display = '';
	while (pieces.length > 1 && legend.getComputedTextLength() > room)
		pieces.pop().style.display = 'none';
	if (!pieces.length)
		fit(legend, room);
}
