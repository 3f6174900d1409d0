export const label = (column: string) => `Heat map: a column for each ${column}, from bottom to top its fiftieths, with an axis on the right; darker is more`;
