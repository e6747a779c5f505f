// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@Suite("Crontab")
struct CrontabTests {
  private static let begin = "# BEGIN oppi schedule: written by 'oppi schedule', do not edit\n"
  private static let end = "# END oppi schedule\n"

  private func text(_ crontab: Crontab) -> String { String(decoding: crontab.bytes, as: UTF8.self) }

  /// Crontabs before and after their block is replaced; `nil` if that is refused.
  private static let blocks: [(before: String, lines: [String], after: String?)] = [
    // A block is appended, replaced in place, and removed without a trace.
    (
      "MAILTO=me\n0 0 * * * mine\n", ["1 2 * * * a --scheduled"],
      "MAILTO=me\n0 0 * * * mine\n\(begin)1 2 * * * a --scheduled\n\(end)"
    ),
    (
      "mine\n\(begin)a --scheduled\n\(end)# behind\n", ["b --scheduled", "c --scheduled"],
      "mine\n\(begin)b --scheduled\nc --scheduled\n\(end)# behind\n"
    ),
    ("mine\n\(begin)a --scheduled\nb --scheduled\n\(end)# behind\n", [], "mine\n# behind\n"),
    (
      "mine\r\n\(begin.dropLast())\r\na --scheduled\r\n\(end.dropLast())\r\n", [], "mine\r\n"
    ),
    // An empty crontab gets the block alone, and an unterminated last line is terminated.
    ("", [], ""), ("", ["x --scheduled"], "\(begin)x --scheduled\n\(end)"),
    ("0 0 * * * mine", ["x --scheduled"], "0 0 * * * mine\n\(begin)x --scheduled\n\(end)"),
    (
      "\(begin)x --scheduled\n\(end.dropLast())", ["y --scheduled"],
      "\(begin)y --scheduled\n\(end)"
    ),
    // A block with a foreign line, or a damaged one, is not changed.
    ("\(begin)a --scheduled\n7 7 * * * mine\n\(end)", [], nil), (begin, ["x --scheduled"], nil),
    (end, ["x --scheduled"], nil), (end + begin, ["x --scheduled"], nil),
    (begin + begin + end, ["x --scheduled"], nil), (begin + end + end, ["x --scheduled"], nil),
  ]

  @Test("a block is replaced in place unless it is damaged", arguments: blocks.indices)
  func block(index: Int) throws {
    let (before, lines, after) = Self.blocks[index]
    var crontab = Crontab(Array(before.utf8))
    if after == nil {
      #expect(throws: ScheduleError.self) { try crontab.replaceBlock(with: lines) }
    } else {
      try crontab.replaceBlock(with: lines)
    }
    #expect(text(crontab) == after ?? before)
  }

  @Test("a commented line runs nothing")
  func comments() {
    let job = "0 9 * * * oppi run standup --scheduled\n"
    #expect(Crontab(Array(job.utf8)).runs("standup"))
    #expect(!Crontab(Array(job.utf8)).runs("stand"))
    #expect(!Crontab(Array("mine\n # \(job)".utf8)).runs("standup"))
  }

  @Test("lines outside of the block are not those of a schedule")
  func ownLines() throws {
    let line = "1 2 * * * oppi run a --scheduled"
    let mine = "\(line) >/dev/null\n"
    let crontab = Crontab(Array("\(mine)\(Self.begin)\(line)\n\(Self.end)".utf8))
    #expect(try crontab.lines(running: "a") == [line])
    #expect(try Crontab(Array(mine.utf8)).lines(running: "a") == [])
  }

  @Test("other lines are kept byte for byte")
  func bytes() throws {
    let odd: [UInt8] = [0xFF, 0xFE, 0x0A, 0x0D, 0x0A, 0x0A, 0x00, 0x25, 0x0A]
    var crontab = Crontab(odd)
    try crontab.replaceBlock(with: ["x --scheduled"])
    #expect(crontab.bytes.starts(with: odd))
    try crontab.replaceBlock(with: [])
    #expect(crontab.bytes == odd)
  }

  @Test("arguments are quoted for a shell, with percent signs escaped for cron")
  func words() {
    #expect(Crontab.command(["/usr/bin/oppi", "run", "a-b_c.d"]) == "/usr/bin/oppi run a-b_c.d")
    #expect(Crontab.command(["/a b/it's", "$x", "50%"]) == #"'/a b/it'\''s' '$x' '50\%'"#)
    #expect(Crontab.command([""]) == "''")
  }
}
