export const heat = {
	label: (column: string) => `Heat map: a column for each ${column}, from bottom to top its fiftieths; darker is more`,
};
