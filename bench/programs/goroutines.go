package main

import "strconv"

type node struct{ left, right *node }

func tree(depth int) *node {
	if depth == 0 {
		return &node{}
	}
	return &node{tree(depth - 1), tree(depth - 1)}
}

func words(count int) int {
	seen := map[string]int{}
	for i := 0; i < count; i++ {
		seen["word"+strconv.Itoa(i)]++
	}
	return len(seen)
}

func deep(levels int) int {
	var room [64]int
	if levels == 0 {
		return room[3]
	}
	return deep(levels-1) + room[levels%64]
}

func main() {
	done := make(chan int)
	for i := 0; i < 4; i++ {
		go func() {
			for round := 0; round < 120; round++ {
				tree(14)
				done <- words(20000)
				go func() { done <- deep(60) }()
			}
		}()
	}
	for i := 0; i < 960; i++ {
		<-done
	}
}
