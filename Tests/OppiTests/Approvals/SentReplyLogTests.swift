// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem
import TestSupport
import Testing

@testable import Oppi

/// This machine's record of the decisions and answers that it sent.
@Suite struct SentReplyLogTests {
  private static let now = Timestamp(seconds: 1_800_000_000)

  /// A record with a long text; the digest of one takes time.
  private static let long: SentReply = {
    let title = JSONValue.string(String(repeating: "x", count: 5000))
    let question = UserQuestion(id: "q", method: "confirm", body: ["title": title])
    return SentReply(
      .answer(.confirmed(true)),
      to: .question(question),
      in: "S",
      outcome: .decided,
      at: now
    )
  }()

  private static func reply(_ number: Int) -> SentReply {
    var reply = long
    reply.requestID = "q\(number)"
    return reply
  }

  @Test("beyond the limit the oldest entries are dropped, and the latest stay in their order")
  func bounded() throws {
    let scratch = try Scratch()
    let lines = (0..<600).map { SentReply.shape.json(of: Self.reply($0)).bytes() + [10] }
    var (count, size) = (0, 0)
    while size + lines[count].count <= SentReplyLog.sizeLimit {
      size += lines[count].count
      count += 1
    }
    let full = lines.prefix(count).flatMap(\.self)
    let (ids, rest) = try onLoop { [paths = scratch.paths, count] loop in
      let files = FileStore(loop: loop)
      try files.replace(paths.decisionsFile, with: full)
      let log = SentReplyLog(paths: paths, files: files)
      for number in count...count + 1 { try await log.append(Self.reply(number)) }
      return (try log.entries().map(\.requestID), try files.read(paths.decisionsFile)?.count ?? 0)
    }
    #expect(rest <= SentReplyLog.sizeLimit && ids.count > 100)
    #expect(ids == (count + 2 - ids.count..<count + 2).map { "q\($0)" })
  }
}
