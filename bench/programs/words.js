function fibonacci(n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

function words(count) {
  const seen = new Map();
  for (let i = 0; i < count; i++) {
    const word = 'word' + i % 5000;
    seen.set(word, (seen.get(word) || 0) + i);
  }
  return JSON.parse(JSON.stringify([...seen])).length;
}

let sum = 0;
for (let i = 0; i < 20; i++) sum += fibonacci(27) + words(100000);
console.log(sum);
