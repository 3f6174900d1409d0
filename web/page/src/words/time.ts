export const overview = 'Time range';
export const start = 'Start of the range';
export const end = 'End of the range';
export const move = 'Range. Arrow keys move it, Shift and arrow keys resize it, Delete shows the whole time.';
export const range = (from: string, to: string, lasts: string) => from + ' to ' + to + ', ' + lasts;
export const whole = 'whole time';
export const series = (name: string, highest: string, at: string, average: string) =>
	name + ': highest ' + highest + ' at ' + at + ', average ' + average + '.';
export const histogram = (from: number, to: number, highest: number) =>
	'from ' + from + ' % to ' + to + ' % of the time in view, highest at ' + highest + ' %';
export const counting = 'weight over time';
export const nothing = 'nothing in the time in view';
export const legend = 'Series';
