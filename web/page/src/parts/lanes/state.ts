// What the tabs of processes and the strip have in common: each is computed once for a recording, a
// time and filters.
import { computed, signal } from '@preact/signals';
import type { Recording, Uses } from '../../data/types';
import type { Kept } from '../../views/weigh';
import { forestOf, keptProcesses, mainEvent } from '../../views/processes';
import { isInParts } from '../../served/trees';
import { weightByProcess } from '../../state/over';
import { kept, recording, samplesOf, shownTime, state } from '../../state/state';

const range = computed(() => state.value.range);

export const wholeView = computed<Kept>(() =>
	({ from: -Infinity, to: Infinity, measure: 'all', between: null, ...kept.value }));
export const timeView = computed<Kept>(() => range.value
	? { ...wholeView.value, from: range.value[0], to: range.value[1] } : wholeView.value);

export const mainId = computed(() => mainEvent(recording.value!.head));
export const mainInfo = computed(() => recording.value!.head.events[mainId.value] ?? null);
export const mainSamples = computed(() => isInParts() ? null : samplesOf(mainId.value));

// By process; null while they are being read.
export const weights = computed(() =>
	weightByProcess('processes', mainId.value, timeView.value, shownTime.value));
export const forest = computed(() => forestOf(recording.value!.head));
export const keptNow = computed(() => keptProcesses(recording.value!, kept.value.threads));

const reads = signal(new Map<Recording, Uses | null>());

// null while they are being read, or if there are none.
export function usesNow(): Uses | null {
	const opened = recording.value!;
	if (!reads.value.has(opened))
		void opened.uses().then(uses => {
			if (!reads.value.has(opened))
				reads.value = new Map([[opened, uses]]);
		});
	return reads.value.get(opened) ?? null;
}
