export const time = {
	overview: 'Time range',
	start: 'Start of the range',
	end: 'End of the range',
	move: 'Range. Arrow keys move it, Shift and arrow keys resize it, Delete shows the whole time.',
	range: (from: string, to: string, lasts: string) => from + ' to ' + to + ', ' + lasts,
	whole: 'whole time',
	series: (name: string, highest: string, at: string, average: string) =>
		name + ': highest ' + highest + ' at ' + at + ', average ' + average + '.',
	histogram: (from: number, to: number, highest: number) =>
		'from ' + from + ' % to ' + to + ' % of the time in view, highest at ' + highest + ' %',
	counting: 'weight over time',
	nothing: 'nothing in the time in view',
	legend: 'Series',
};
