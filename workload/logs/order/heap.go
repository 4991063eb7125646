package order

// A Heap is what container/heap asks for, its least item first.
type Heap[T interface{ Compare(other T) int }] []T

// Len is how many items there are.
func (h Heap[T]) Len() int { return len(h) }

// Less is whether one item comes before another.
func (h Heap[T]) Less(i, j int) bool { return h[i].Compare(h[j]) < 0 }

// Swap swaps two items.
func (h Heap[T]) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

// Push appends an item.
func (h *Heap[T]) Push(item any) { *h = append(*h, item.(T)) }

// Pop takes the last item.
func (h *Heap[T]) Pop() any {
	last := len(*h) - 1
	item := (*h)[last]
	clear((*h)[last:])
	*h = (*h)[:last]
	return item
}
