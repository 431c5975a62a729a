/**
 * Draws results as one HTML page that needs nothing else: no network, no script, no fonts.
 *
 * <p>The charts are written as SVG here. Charting libraries for Java draw through AWT, which turns
 * text into outlines that cannot be searched, read aloud or scaled to a phone, and tell bars apart
 * by colour only; here each bar is labelled, and each line has a dash and a mark of its own.
 *
 * <p>The page is well-formed XML, too, so that it can be checked.
 */
@org.jspecify.annotations.NullMarked
package io.latchkey.bench.report;
