package page

import (
	"bytes"
	"fmt"
	"html/template"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"dejavu/internal/document"
)

// drawing is the figure's SVG as a part of the page: without the prologue and
// the namespaces, which HTML knows, and squeezed.
func drawing(f Figure) (template.HTML, error) {
	begin := bytes.Index(f.SVG, []byte("<svg"))
	if begin < 0 {
		return "", fmt.Errorf("figure %s: no <svg> in %d bytes", f.Name, len(f.SVG))
	}
	svg := string(f.SVG[begin:])
	head, body, ok := strings.Cut(svg, ">")
	box := viewBox.FindString(head)
	if !ok || box == "" {
		return "", fmt.Errorf("figure %s: <svg> without a viewBox", f.Name)
	}
	for _, s := range []string{"<script", "<image", "<foreignObject", "href"} {
		if strings.Contains(body, s) {
			return "", fmt.Errorf("figure %s: has %q, want lines and areas alone", f.Name, s)
		}
	}
	body = nowhere.Replace(squeezed(body))
	return template.HTML(fmt.Sprintf(`<svg role="img" aria-labelledby="%s-title" aria-describedby="%s-caption" %s>%s`,
		"figure-"+document.Anchor(f.Name), "figure-"+document.Anchor(f.Name), box, body)), nil
}

// squeezed is a body with all its paths squeezed.
func squeezed(body string) string {
	var b strings.Builder
	const outline = ` d="`
	for {
		at := strings.Index(body, outline)
		end := -1
		if at >= 0 {
			at += len(outline)
			end = strings.IndexByte(body[at:], '"')
		}
		if end < 0 {
			b.WriteString(body)
			return b.String()
		}
		b.WriteString(body[:at])
		b.WriteString(squeeze(body[at : at+end]))
		body = body[at+end:]
	}
}

var (
	viewBox = regexp.MustCompile(`viewBox="[-0-9. ]+"`)

	// What says nothing.
	nowhere = strings.NewReplacer(` transform="rotate(0)"`, "", "\" />", "\"/>", "\n", "", ` style="fill:#000000"`, "")
)

// squeeze is a path with coordinates in hundredths, each relative to the point
// before: half the letters. A path with other commands than absolute moves, lines,
// curves and arcs stays as it is.
func squeeze(path string) string {
	var b strings.Builder
	var at, start [2]int // hundredths
	for rest := path; rest != ""; {
		command := rest[0]
		end := 1 + strings.IndexFunc(rest[1:]+"Z", func(r rune) bool { return r != 'e' && unicode.IsLetter(r) })
		fields := strings.FieldsFunc(rest[1:end], func(r rune) bool { return r == ',' || r == ' ' })
		rest = rest[end:]
		numbers, ok := hundredths(fields)
		if want, known := operands[command]; !ok || !known || len(numbers) != want {
			return path
		}
		switch command {
		case 'Z':
			b.WriteByte('z')
			at = start
			continue
		case 'A': // only its end is a point; radii and flags stay
			b.WriteString("a" + strings.Join(fields[:5], " "))
			numbers = numbers[5:]
			write(&b, numbers[0]-at[0], true)
			write(&b, numbers[1]-at[1], true)
		default:
			b.WriteByte(command + 'a' - 'A')
			for i, n := range numbers {
				write(&b, n-at[i%2], i > 0)
			}
		}
		copy(at[:], numbers[len(numbers)-2:])
		if command == 'M' {
			start = at
		}
	}
	return b.String()
}

// operands is how many numbers the commands take.
var operands = map[byte]int{'M': 2, 'L': 2, 'Q': 4, 'C': 6, 'A': 7, 'Z': 0}

// hundredths are the numbers of a command.
func hundredths(fields []string) (numbers []int, ok bool) {
	for _, field := range fields {
		v, err := strconv.ParseFloat(field, 64)
		if err != nil {
			return nil, false
		}
		numbers = append(numbers, int(math.Round(100*v)))
	}
	return numbers, true
}

// write writes so many hundredths, as short as can be; a minus sign parts two
// numbers as well as a space does.
func write(b *strings.Builder, n int, second bool) {
	if second && n >= 0 {
		b.WriteByte(' ')
	}
	text := strconv.FormatFloat(float64(n)/100, 'f', -1, 64)
	number, negative := strings.CutPrefix(text, "-")
	if negative {
		b.WriteByte('-')
	}
	if rest, ok := strings.CutPrefix(number, "0."); ok {
		number = "." + rest
	}
	b.WriteString(number)
}
