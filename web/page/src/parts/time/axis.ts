// Round moments along a time axis.
import { timeUnit } from '../../words/format';

interface Tick { time: number; label: string }

export function ticksOf(from: number, to: number, width: number): Tick[] {
	const least = (to - from) / Math.max(1, width / 90);
	if (!(least > 0))
		return [];
	const power = 10 ** Math.floor(Math.log10(least));
	const step = [1, 2, 5, 10].find(n => n * power >= least)! * power;
	const [unit, word] = timeUnit(Math.max(Math.abs(from), Math.abs(to)));
	const decimals = Math.max(0, Math.ceil(-Math.log10(step / unit) - 1e-9));
	const ticks: Tick[] = [];
	for (let n = Math.ceil(from / step); n * step <= to && ticks.length < 1000; n++)
		ticks.push({ time: n * step, label: (n * step / unit).toFixed(decimals) + ' ' + word });
	return ticks;
}
