// What JSX becomes: build.js adds this to each file that has any. Calls of `h` are smaller than those of
// the automatic runtime.
export { Fragment, h } from 'preact';
