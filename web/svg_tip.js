// ---- what a frame is, near the pointer or, from the keyboard, near the frame

const TIP_GAP = 14;      // from the pointer
const tipPlace = element('foreignObject', '', svg);
const tip = html('div', tipPlace);
const detail = [html('div', tip), html('div', tip), html('div', tip)];
let pointer = null;      // where it is in the window; null: the keyboard moves

function makeTip() {
	tip.setAttribute('class', 'tip');
	tip.hidden = true;
	detail[0].setAttribute('class', 'detail mono');
	detail[1].setAttribute('class', 'detail');
	detail[2].setAttribute('class', 'detail');
	tipPlace.setAttribute('width', 1);
	tipPlace.setAttribute('height', 1);
	tipPlace.style.pointerEvents = 'none';
}

// In the coordinates of the picture: what of it the window shows.
function windowBox() {
	const seen = svg.getBoundingClientRect(), scale = seen.width ? width / seen.width : 1;
	const page = document.documentElement;
	return { scale, left: -seen.left * scale, top: -seen.top * scale,
		width: (page.clientWidth || window.innerWidth) * scale,
		height: window.innerHeight * scale };
}

function anchor(box) {
	if (pointer)
		return [box.left + pointer[0] * box.scale, box.top + pointer[1] * box.scale];
	const row = rows[levelOf(at)], place = placeOf(at);
	return place < 0 ? null : [row.xs[place] + 4, rowTop(levelOf(at)) + ROW - TIP_GAP + 4];
}

// Right below the anchor; on its other side if the window ends there.
function placeTip() {
	const box = windowBox(), spot = at < 0 ? null : anchor(box);
	tip.hidden = !spot;
	if (!spot)
		return;
	tip.style.width = 'max-content';
	tip.style.maxWidth = Math.min(620, box.width - 8) + 'px';
	const wide = tip.offsetWidth, tall = tip.offsetHeight;
	let x = spot[0] + (pointer ? TIP_GAP : 0), y = spot[1] + TIP_GAP;
	x = Math.max(Math.min(x, box.left + box.width - wide - 4), box.left + 4);
	if (y + tall > Math.min(box.top + box.height, Number(svg.getAttribute('height'))))
		y = Math.max(spot[1] - tall - TIP_GAP, box.top + 2);
	tipPlace.setAttribute('x', x);
	tipPlace.setAttribute('y', y);
}

function say() {
	if (at >= 0) {
		detail[0].textContent = toldName(at);
		detail[1].textContent = numbersOf(at);
		detail[2].textContent = originOf(at);
	}
	placeTip();
}
