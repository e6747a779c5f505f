// SPDX-License-Identifier: MIT

import OppiTerminal
import TestSupport
import Testing

/// Rows of any text, however wide its characters are, lose nothing of it.
@Suite struct FoldingTests {
  private static func line(_ random: inout SeededGenerator) -> StyledText {
    var line = StyledText()
    for (index, piece) in WideText.pieces(&random).enumerated() {
      line.append(piece, index.isMultiple(of: 2) ? .code : .warning)
    }
    return line
  }

  private static func scalars(_ rows: [String]) -> [Unicode.Scalar] {
    rows.flatMap { $0.unicodeScalars.filter { $0 != " " } }
  }

  @Test("folding drops only spaces, and each row has its width", arguments: 1...20)
  func folded(width: Int) {
    var random = SeededGenerator(seed: UInt64(width))
    for _ in 0..<100 {
      let line = Self.line(&random)
      let all = Self.scalars([line.plain])
      let rows = TextBlock.folded(line.plain, width: width)
      #expect(Self.scalars(rows) == all, "\(line.plain.debugDescription)")
      #expect(rows.allSatisfy { DisplayWidth.of($0) <= max(2, width) }, "\(rows)")
      let styled = line.folded(to: width, indent: 2)
      #expect(Self.scalars(styled.map(\.plain)) == all, "\(line.plain.debugDescription)")
      #expect(
        styled.allSatisfy { DisplayWidth.of($0.plain) <= max(2, width) },
        "\(styled.map(\.plain))"
      )
    }
  }

  @Test("cutting drops nothing, and each row has its width", arguments: 1...20)
  func cut(width: Int) {
    var random = SeededGenerator(seed: UInt64(width))
    for _ in 0..<100 {
      let line = Self.line(&random)
      let rows = line.cut(to: width, first: "  ", rest: "↪ ")
      let parts = rows.map { $0.plain.unicodeScalars.dropFirst(2) }
      #expect(parts.joined().elementsEqual(line.plain.unicodeScalars), "\(rows.map(\.plain))")
      #expect(
        rows.allSatisfy { DisplayWidth.of($0.plain) <= max(4, width) },
        "\(line.plain.debugDescription)"
      )
      // What draws or prints the rows again changes nothing.
      guard width >= 4 else { continue }
      #expect(rows.map { $0.truncated(to: width) } == rows)
      #expect(rows.flatMap { $0.folded(to: width, indent: 2) } == rows)
    }
  }
}
