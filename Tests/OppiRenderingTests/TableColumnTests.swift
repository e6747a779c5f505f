// SPDX-License-Identifier: MIT

import OppiRendering
import Testing

/// Columns of tables that do not fit: what decides stays.
@Suite struct TableColumnTests {
  /// A state, an id, a server, an age and a title: 7 + 8 + 6 + 2 + 20 columns, with gaps 51.
  private static let roles: [TableColumn] = [.kept, .detail(2), .context, .detail(1), .decides]
  private static let row: [StyledText] = [
    "waiting", "CdJR04ap", "studio", "2m", "Fix the flaky test 1",
  ]
  private static let whole = "waiting  CdJR04ap  studio  2m  Fix the flaky test 1"

  private static func lines(_ rows: [[StyledText]] = [row], width: Int) -> [String] {
    Table(rows, roles: roles).aligned(width: width, theme: .plain)
  }

  @Test("a row that fits exactly has all columns")
  func exact() {
    #expect(DisplayWidth.of(Self.whole) == 51)
    #expect(Self.lines(width: 51) == [Self.whole])
    #expect(Self.lines(width: 200) == [Self.whole])
  }

  @Test("with one column less the first detail is dropped, and then the next one")
  func details() {
    #expect(Self.lines(width: 50) == ["waiting  CdJR04ap  studio  Fix the flaky test 1"])
    #expect(Self.lines(width: 47) == ["waiting  CdJR04ap  studio  Fix the flaky test 1"])
    #expect(Self.lines(width: 46) == ["waiting  studio  Fix the flaky test 1"])
    #expect(Self.lines(width: 37) == ["waiting  studio  Fix the flaky test 1"])
  }

  @Test("context is dropped when all details are, before a title is folded")
  func context() {
    #expect(Self.lines(width: 36) == ["waiting  Fix the flaky test 1"])
    #expect(Self.lines(width: 29) == ["waiting  Fix the flaky test 1"])
    #expect(Self.lines(width: 28) == ["waiting  Fix the flaky test", "         1"])
    #expect(Self.lines(width: 20) == ["waiting  Fix the", "         flaky test", "         1"])
  }

  @Test("a title of any length has all details on a wide terminal, and none at 40 columns")
  func long() {
    let title = String(repeating: "title ", count: 20)
    let row = Array(Self.row.dropLast()) + [StyledText(title)]
    func begins(_ start: String, at width: Int) -> Bool {
      Self.lines([row], width: width).first?.hasPrefix(start) == true
    }
    #expect(begins("waiting  CdJR04ap  studio  2m  title", at: 200))
    // A long title does not need more than 60 columns of a line.
    #expect(begins("waiting  CdJR04ap  studio  2m  title", at: 91))
    #expect(begins("waiting  CdJR04ap  studio  title", at: 90))
    let narrow = Self.lines([row], width: 40)
    #expect(narrow.first?.hasPrefix("waiting  title title") == true)
    #expect(narrow.joined().count { $0 == "e" } >= 16, "\(narrow)")
  }

  @Test("context is shortened before it is dropped")
  func shortened() {
    let row: [StyledText] = [
      "ok", "", "a server with a name", "", "0123456789 0123456789 012345678",
    ]
    #expect(
      Self.lines([row], width: 50) == ["ok  a server wit…  0123456789 0123456789 012345678"]
    )
    #expect(Self.lines([row], width: 45) == ["ok  a serve…  0123456789 0123456789 012345678"])
    #expect(Self.lines([row], width: 44) == ["ok  0123456789 0123456789 012345678"])
  }

  @Test("a cell has at most four rows; its first piece gives way to the others")
  func folded() {
    let title = String(repeating: "title ", count: 40)
    let cell = StyledText(title).with(StyledText("  needs approval: git push", .warning))
    let lines = Self.lines([["waiting", "", "", "", cell]], width: 40)
    #expect(lines.count == 4 && lines.joined().contains("…"), "\(lines)")
    let words = lines.joined(separator: " ").split(separator: " ").joined(separator: " ")
    #expect(words.hasSuffix("needs approval: git push"), "\(lines)")
    // A single piece is cut at its end.
    let cut = Self.lines([["waiting", "", "", "", StyledText(title)]], width: 40)
    #expect(cut.count == 4 && cut.last?.hasSuffix("…") == true, "\(cut)")
  }

  @Test("two columns that decide share the width")
  func shared() {
    let table = Table(
      [["CdJR04ap", "Fix the flaky test in the login", "the test is flaky because of a clock"]],
      roles: [.detail(1), .decides, .decides]
    )
    #expect(
      table.aligned(width: 40, theme: .plain) == [
        "Fix the flaky test   the test is flaky", "in the login         because of a clock",
      ]
    )
  }

  @Test("wide characters are folded by their columns", arguments: 1...60)
  func wide(width: Int) {
    let rows: [[StyledText]] = [
      ["待機", "CdJR04ap", "スタジオ", "2分", "不安定なテストを修正する不安定なテスト"], Self.row,
    ]
    for line in Self.lines(rows, width: width) {
      #expect(DisplayWidth.of(line) <= width, "\(line)")
    }
  }

  @Test("a pipe has all columns")
  func pipe() {
    #expect(
      Table([Self.row], roles: Self.roles).tabSeparated() == [
        "waiting\tCdJR04ap\tstudio\t2m\tFix the flaky test 1"
      ]
    )
  }
}
