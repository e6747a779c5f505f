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
    var reply = SentReply(.answer(.confirmed(true)), to: .question(question), in: "S", at: now)
    reply.end(.decided, at: now)
    return reply
  }()

  private static func reply(_ number: Int) -> SentReply {
    var reply = long
    reply.requestID = "q\(number)"
    return reply
  }

  @Test("a result replaces what was recorded before its reply was sent, and nothing else")
  func results() throws {
    let scratch = try Scratch()
    func replies(_ lines: [SentReply]) throws -> [String] {
      try onLoop { [paths = scratch.paths] loop in
        let files = FileStore(loop: loop)
        try files.replace(
          paths.decisionsFile,
          with: lines.flatMap { SentReply.shape.json(of: $0).bytes() + [10] }
        )
        return try SentReplyLog(paths: paths, files: files).entries()
          .map { "\($0.requestID) \($0.server) \($0.result)" }
      }
    }
    func sent(_ id: Int, of server: String = "a", at time: Int = 0) -> SentReply {
      var reply = Self.reply(id)
      (reply.result, reply.server) = (SentReply.pending, server)
      reply.at = Timestamp(seconds: 1_800_000_000 + time)
      return reply
    }
    func ended(_ reply: SentReply, _ outcome: DecisionOutcome?) -> SentReply {
      var reply = reply
      reply.end(outcome, at: Self.now)
      return reply
    }
    let (one, two) = (sent(1, at: -5), sent(2))
    #expect(
      try replies([one, two, ended(two, .decided), ended(one, nil)])
        == ["q2 a confirmed", "q1 a failed"]
    )
    let other = ended(sent(1, of: "b"), .decided)
    #expect(try replies([one, other]) == ["q1 b confirmed", "q1 a sent"])
    // Of two equal replies, one result is missing.
    #expect(try replies([one, one, ended(one, .unknown)]) == ["q1 a unknown", "q1 a sent"])
    #expect(try replies([ended(one, .unknown), one]) == ["q1 a unknown", "q1 a sent"])
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
