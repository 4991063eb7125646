package plots

import (
	"cmp"
	"fmt"
	"image/color"
	"io"
	"regexp"
	"strings"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Sizes of text, in points.
const (
	titleSize  = vg.Length(9)
	labelSize  = vg.Length(8.5)
	tickSize   = vg.Length(7.5)
	legendSize = vg.Length(8)
	noteSize   = vg.Length(7.5)
	headSize   = vg.Length(10.5) // the title of a figure

	leading = 1.25 // distance of lines, by the size
)

var (
	ink  = color.Gray{0x20} // text and axes
	pale = color.Gray{0xe4} // grids
	mute = color.Gray{0x70} // guides and notes
)

// aligned returns a sans-serif style; textStyle begins at a point of its base line, and centered has it in the middle.
func aligned(size vg.Length, c color.Color, x text.XAlignment, y text.YAlignment) text.Style {
	return text.Style{
		Color: c, XAlign: x, YAlign: y,
		Font:    font.Font{Typeface: "Liberation", Variant: "Sans", Size: size},
		Handler: text.Plain{Fonts: font.DefaultCache},
	}
}

var headStyle = func() text.Style {
	sty := textStyle(headSize, ink)
	sty.Font.Weight = xfont.WeightBold
	return sty
}()

func textStyle(size vg.Length, c color.Color) text.Style {
	return aligned(size, c, draw.XLeft, draw.YBottom)
}

func centered(size vg.Length, c color.Color) text.Style {
	return aligned(size, c, draw.XCenter, draw.YBottom)
}

// families lists the font of the layout, others of the same width, and any other.
const families = "Liberation Sans, Arimo, Arial, Helvetica, sans-serif"

// lettered is an SVG with text that can be searched. Each text has a width, in case the font is missing.
type lettered struct {
	*vgsvg.Canvas
	widths []vg.Length
}

func (c *lettered) FillString(f font.Face, pt vg.Point, s string) {
	c.widths = append(c.widths, f.Width(s))
	c.Canvas.FillString(f, pt, s)
}

// namesFont matches the font of each text, except for a bold weight.
var namesFont = regexp.MustCompile(`\n\tstyle="font-family:[^;]*;[^;]*;(font-weight:normal;font-style:\w+;)?`)

// WriteTo writes the SVG, with the fonts named once.
func (c *lettered) WriteTo(w io.Writer) (int64, error) {
	var b strings.Builder
	_, err := c.Canvas.WriteTo(&b)
	svg := strings.Replace(b.String(), "<svg ", `<svg font-family="`+families+`" `, 1)
	svg = namesFont.ReplaceAllStringFunc(svg, func(string) (style string) {
		style, c.widths = fmt.Sprintf(` textLength="%.4g" style="`, c.widths[0].Points()), c.widths[1:]
		return style
	})
	n, fault := io.WriteString(w, svg)
	return int64(n), cmp.Or(err, fault)
}

// fillText draws text. YCenter means the middle of its letters.
func fillText(c draw.Canvas, sty text.Style, x, y vg.Length, s string) {
	if sty.YAlign == draw.YCenter {
		y += sty.FontExtents().Descent
	}
	c.FillText(sty, vg.Point{X: x, Y: y}, s)
}

func write(c draw.Canvas, sty text.Style, left, top vg.Length, lines []string) {
	for i, line := range lines {
		fillText(c, sty, left, top-vg.Length(i+1)*sty.Font.Size*leading, line)
	}
}

// wrap breaks s into lines no wider than width, but not before a per cent sign.
func wrap(s string, sty text.Style, width vg.Length) []string {
	var lines []string
	line := ""
	words := strings.Fields(s)
	for i := 0; i < len(words); i++ {
		word := words[i]
		if i+1 < len(words) && words[i+1][0] == '%' {
			i++
			word += " " + words[i]
		}
		longer := strings.TrimSpace(line + " " + word)
		if line != "" && sty.Width(longer) > width {
			lines = append(lines, line)
			longer = word
		}
		line = longer
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
