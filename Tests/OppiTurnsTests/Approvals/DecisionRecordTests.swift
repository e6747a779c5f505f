// SPDX-License-Identifier: MIT

import FakeServer
import OppiModel
import OppiSystem
import OppiText
import OppiWire
import Simulation
import TestSupport
import Testing

@testable import OppiClient
@testable import OppiTestSupport

/// This machine's own record of the decisions and answers that it sent.
@Suite struct DecisionRecordTests {
  @Test("a reply is recorded before it is sent, and stays so if its result is never known")
  func before() {
    inTroubledWorld(.gated) { world, server, trouble in
      let id = try await world.request(asking: "deploy")
      trouble.at("/respond", .hang)
      let run = world.begin("approve", "--", id)
      try await world.pass(.seconds(1))
      let sent = world.replyLog
      #expect(sent.map(\.["requestId"].string) == [id] && sent[0]["result"] == "sent", "\(sent)")
      let log = await world.oppi("approvals", "log", "--json")
      #expect(log.json["log"].array?.first?["sent"]["result"] == "sent", "\(log)")
      _ = await run.value
      #expect(world.replyLog.map(\.["result"]) == ["sent", "unknown"])
      let after = await world.oppi("approvals", "log", "--json").json["log"].array ?? []
      #expect(after.map(\.["sent"]["result"]) == ["unknown"], "\(after)")
    }
  }

  @Test("a server without a record: the log has what this machine sent, marked as such")
  func today() {
    inWorld { world, server in
      let (session, id) = try await world.waiting(asking: "gate")
      #expect(await world.oppi("answer", "--", id, "Yes").status == 0)
      let log = await world.oppi("approvals", "log", "--json", exits: 0)
      let entry = log.json["log"].array?.first ?? .null
      #expect(entry["source"] == "machine" && entry["decidedBy"] == "user", "\(log)")
      #expect(entry["decision"] == "allow" && entry["sessionId"].string == session, "\(log)")
      #expect(entry["sent"]["command"] == "answer" && entry["sent"]["reply"] == "Yes", "\(log)")
      #expect(entry["sent"]["result"] == "confirmed", "\(log)")
      #expect(entry["sent"]["shown"].string?.contains("rm -rf ./build") == true, "\(log)")
      let pipe = await world.oppi("approvals", "log")
      #expect(
        pipe.lines.count == 1 && pipe.lines[0].hasSuffix("\tmachine\tconfirmed\tYes"),
        "\(pipe)"
      )
      #expect(pipe.errors.contains("keeps no record"), "\(pipe)")
    }
  }

  @Test("the log has the latest decision first, also of several in one second")
  func order() {
    inWorld { world, server in
      for _ in 0..<4 { _ = try await world.session(asking: "gate") }
      let runs = await world.requestIDs().map { world.begin("answer", "--", $0, "Yes") }
      for run in runs { #expect(await run.value.status == 0) }
      let records = world.replyRecords
      try #require(Set(records.map(\.["at"].string)).count < records.count)
      let log = await world.oppi("approvals", "log", "--json").json["log"].array ?? []
      #expect(log.map(\.["sessionId"]) == records.reversed().map(\.["sessionId"]), "\(log)")
    }
  }

  @Test("a decision that failed is recorded as such")
  func failed() {
    inTroubledWorld(.gated) { world, server, trouble in
      let id = try await world.request(asking: "deploy")
      trouble.at("/respond", .answer(status: 400, error: "no such decision"))
      let outcome = await world.oppi("approve", "--", id)
      #expect(outcome.status != 0, "\(outcome)")
      let records = world.replyRecords
      #expect(records.map(\.["result"].string) == ["failed"], "\(records)")
      #expect(records.map(\.["requestId"].string) == [id], "\(records)")
    }
  }

  @Test("a refusal by an option is recorded as the program's own")
  func automatic() {
    inWorld { world, server in
      _ = await world.oppi("ask", "--wait", "-w", "demo", "--on-ask", "deny", "gate")
      let records = world.replyRecords
      #expect(records.count == 1 && records[0]["automatic"] == true, "\(records)")
      #expect(records[0]["surface"] == "ask" && records[0]["reply"] == "No")
      let log = await world.oppi("approvals", "log", "--json")
      #expect(log.json["log"].array?.first?["decidedBy"] == "program", "\(log)")
    }
  }

  @Test("a decision that cannot be recorded is sent, with a warning")
  func fullDisk() {
    inWorld { world, server in
      let id = try await world.request(asking: "deploy")
      world.disk.breakDown()
      let outcome = await world.oppi("approve", "--", id)
      #expect(outcome.status == 0 && server.decisions == 1, "\(outcome)")
      #expect(outcome.errors.contains("not in this machine's record"), "\(outcome)")
      world.disk.set(Faults())
      #expect(world.replyRecords.isEmpty)
    }
  }
}

/// This machine's record of the decisions and answers that it sent.
@Suite struct SentReplyLogTests {
  private static let now = Timestamp(seconds: 1_800_000_000)

  /// A record with a long text; the digest of one takes time.
  private static let long: SentReply = {
    let title = JSONValue.string(String(repeating: "x", count: 5000))
    let question = UserQuestion.sample("confirm", ["title": title])
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
