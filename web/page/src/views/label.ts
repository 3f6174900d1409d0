// As much of a name as fits into a number of characters: shared with the interactive SVG.
export { fitName } from '../../../label.js';
