// ---- words

function amount(weight) {
	weight *= data.factor;
	if (!data.countName && data.unit === 'bytes')
		return bytes(weight);
	if (data.countName || data.unit !== 'ns')
		return grouped(weight) + ' ' + (data.countName || data.unit);
	return amountOfTime(weight);
}

const nameOf = i => tree.few[i] ? grouped(tree.few[i]) + ' small frames'
	: tree.isLane && tree.isLane[i] ? laneName(i) : names[tree.name[i]];

// What its frame shows.
const shortName = i => !tree.few[i] && labels[tree.name[i]] || nameOf(i);
const toldName = i => (data.nameType ? data.nameType + ' ' : '') + nameOf(i);
const linkOf = i => data.links && data.links[tree.name[i]];
const isUnknown = i => data.unknown.includes(Math.floor(looks[tree.name[i]] / data.shades));

// As wk_may_be_chance of views/compare/chance.h has it.
const mayBeChance = (before, after) =>
	(after - before) ** 2 <= 9 * (before * data.chance[0] + after * data.chance[1]);

// Before, after and by how much: as a share of what it was.
function changeWords(i) {
	const before = tree.before[i], after = tree.after[i];
	const words = 'before ' + amount(before) + ', after ' + amount(after);
	const remark = mayBeChance(before, after) ? ' (may be chance)' : '';
	if (before === after)
		return words + ', the same';
	if (!before || !after)
		return words + (before ? ', gone' : ', new') + remark;
	const percent = 100 * (after - before) / before;
	return words + ', ' + (percent > 0 ? '+' : '\u2212') + Math.abs(percent).toFixed(1) + ' %' + remark;
}

function numbersOf(i) {
	const parts = [share(tree.total[i], tree.total[0]) + ' of ' + amount(tree.total[0])];
	if (zoomed && isBelow(i, zoomed))
		parts.push(share(tree.total[i], tree.total[zoomed]) + ' of the zoomed frame');
	if (tree.before)
		parts.push(changeWords(i));
	else if (data.unit !== 'samples' || data.countName)
		parts.push(amount(tree.total[i]));
	if (!tree.before && !data.countName)
		parts.push(grouped(tree.samples[i]) + ' ' + (data.rowWord || 'sample')
			+ (tree.samples[i] === 1 ? '' : 's'));
	if (isTimed && !isAboveLanes(i))
		parts.push('from ' + secondsOf(tree.from[i], 1e3) + ' s, ' + amountOfTime(tree.took[i]));
	// Reversed, a frame holds the time of the function it begins from, not its own.
	if (!isReversed() && !tree.before)
		parts.push('self ' + share(tree.self[i], tree.total[0]));
	return parts.join(' \u00b7 ');
}

function isBelow(i, top) {
	while (i > top && tree.depth[i] > tree.depth[top])
		i = tree.parent[i];
	return i === top;
}

// The line with most time in a frame; reversed, in the heaviest of its stacks.
function lineOf(i) {
	let node = i;
	if (tree !== base) {
		let most = -1;
		node = 0;
		tree.ends[i].forEach((end, k) => {
			if (tree.places[i][k] > 0 && base.self[end] > most) {
				most = base.self[end];
				node = tree.places[i][k];
			}
		});
	}
	const place = base.place ? base.place[node] : 0;
	return place ? data.files[lines[2 * place - 2]] + ':' + lines[2 * place - 1] : '';
}

function originOf(i) {
	const name = tree.name[i];
	if (tree.few[i])
		return 'combined because each is small';
	const kind = data.kinds[Math.floor(looks[name] / data.shades)];
	const link = linkOf(i);
	return [kind, data.images[imageOf[name]], lineOf(i), tree.inlined[i] ? 'inlined' : '',
		link && (link[0] || link[1])].filter(Boolean).join(' \u00b7 ');
}

function cut(name, room) {
	if (room < 4 || name.length <= room || !(data.cutsLeft || data.cutsRight))
		return fitName(name, room);
	if (data.cutsLeft)
		return '..' + Array.from(name).slice(2 - room).join('');
	return Array.from(name).slice(0, room - 2).join('') + '..';
}
