// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@Suite("Crontab")
struct CrontabTests {
  private static let begin = "# BEGIN oppi schedule: written by 'oppi schedule', do not edit\n"
  private static let end = "# END oppi schedule\n"

  private func text(_ crontab: Crontab) -> String { String(decoding: crontab.bytes, as: UTF8.self) }

  @Test("a block is appended, replaced in place, and removed without a trace")
  func block() throws {
    var crontab = Crontab(Array("MAILTO=me\n0 0 * * * mine\n".utf8))
    try crontab.replaceBlock(with: ["1 2 * * * a --scheduled"])
    #expect(
      text(crontab)
        == "MAILTO=me\n0 0 * * * mine\n\(Self.begin)1 2 * * * a --scheduled\n\(Self.end)"
    )
    crontab = Crontab(crontab.bytes + Array("# behind\n".utf8))
    try crontab.replaceBlock(with: ["3 4 * * * b --scheduled", "5 6 * * * c --scheduled"])
    #expect(
      text(crontab)
        == "MAILTO=me\n0 0 * * * mine\n\(Self.begin)3 4 * * * b --scheduled\n"
        + "5 6 * * * c --scheduled\n\(Self.end)# behind\n"
    )
    try crontab.replaceBlock(with: [])
    #expect(text(crontab) == "MAILTO=me\n0 0 * * * mine\n# behind\n")
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

  @Test("a block with carriage returns is recognized")
  func carriageReturns() throws {
    let text = "mine\r\n\(Self.begin.dropLast())\r\na --scheduled\r\n\(Self.end.dropLast())\r\n"
    var crontab = Crontab(Array(text.utf8))
    try crontab.replaceBlock(with: [])
    #expect(self.text(crontab) == "mine\r\n")
  }

  @Test("a block with a foreign line is not changed")
  func foreignLine() {
    let text = "\(Self.begin)a --scheduled\n7 7 * * * mine\n\(Self.end)"
    var crontab = Crontab(Array(text.utf8))
    #expect(throws: ScheduleError.self) { try crontab.replaceBlock(with: []) }
    #expect(self.text(crontab) == text)
  }

  @Test("an empty crontab gets the block alone, and an unterminated last line is terminated")
  func ends() throws {
    var empty = Crontab([])
    try empty.replaceBlock(with: [])
    #expect(empty.bytes.isEmpty)
    try empty.replaceBlock(with: ["x --scheduled"])
    #expect(text(empty) == "\(Self.begin)x --scheduled\n\(Self.end)")
    var open = Crontab(Array("0 0 * * * mine".utf8))
    try open.replaceBlock(with: ["x --scheduled"])
    #expect(text(open) == "0 0 * * * mine\n\(Self.begin)x --scheduled\n\(Self.end)")
    // The last line of the block may be unterminated.
    var cut = Crontab(Array("\(Self.begin)x --scheduled\n\(Self.end.dropLast())".utf8))
    try cut.replaceBlock(with: ["y --scheduled"])
    #expect(text(cut) == "\(Self.begin)y --scheduled\n\(Self.end)")
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

  @Test(
    "a damaged block is not changed",
    arguments: [begin, end, end + begin, begin + begin + end, begin + end + end]
  )
  func broken(text: String) {
    var crontab = Crontab(Array(text.utf8))
    #expect(throws: ScheduleError.self) { try crontab.replaceBlock(with: ["x --scheduled"]) }
    #expect(crontab.bytes == Array(text.utf8))
  }

  @Test("arguments are quoted for a shell, with percent signs escaped for cron")
  func words() {
    #expect(Crontab.command(["/usr/bin/oppi", "run", "a-b_c.d"]) == "/usr/bin/oppi run a-b_c.d")
    #expect(Crontab.command(["/a b/it's", "$x", "50%"]) == #"'/a b/it'\''s' '$x' '50\%'"#)
    #expect(Crontab.command([""]) == "''")
  }
}
