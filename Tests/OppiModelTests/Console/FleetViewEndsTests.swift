// SPDX-License-Identifier: MIT

import Testing

@testable import OppiModel
@testable import OppiText
@testable import OppiWire

/// How requests leave the console's board: decided elsewhere, expired, recorded or forgotten.
@Suite struct FleetViewEndsTests {
  private typealias Boards = FleetViewTests

  /// An entry of the server's record about a decision of a user.
  private static func entry(_ decision: String, at seconds: Int) throws -> AuditEntry {
    let json: JSONValue = [
      "id": "e", "timestamp": .integer(Int64(Boards.at(seconds).milliseconds)),
      "decision": .string(decision), "resolvedBy": "user",
    ]
    return try #require(AuditEntry(json: json))
  }

  @Test("a request that is no longer listed was decided elsewhere, or has expired")
  func disappears() throws {
    var board = Boards.board([Boards.request("a", expires: 500), Boards.request("b", expires: 10)])
    board.take(.init(at: Boards.at(20)), of: Boards.studio)
    let states = board.requests(at: Boards.at(20)).map { $0.settlement(at: Boards.at(20)) }
    #expect(
      states == [
        ListedRequest.Settlement(.elsewhere, at: Boards.at(20)),
        ListedRequest.Settlement(.expired, at: Boards.at(10)),
      ]
    )
  }

  @Test("a session that waits without a listed request is counted, unless its request just ended")
  func waiting() {
    func session(_ id: String, _ phase: SessionPhase) -> SessionStatus {
      SessionStatus(id: id, phase: phase, lastActivity: Boards.at(0))
    }
    let sessions = [session("S", .waiting), session("T", .waiting), session("U", .running)]
    var board = Boards.board([Boards.request("a")])
    board.take(
      .init(at: Boards.at(1), requests: [Boards.request("a")], sessions: sessions),
      of: Boards.studio
    )
    #expect(board.waitingCount(at: Boards.at(1)) == 1, "the session S has the request a")
    board.take(.init(at: Boards.at(2), sessions: sessions), of: Boards.studio)
    #expect(board.waitingCount(at: Boards.at(11)) == 1)
    #expect(board.waitingCount(at: Boards.at(12)) == 2)
  }

  @Test("of two servers with equal ids, a reply, an answer and a record concern only one")
  func twins() throws {
    let (mine, theirs) = (Boards.request("a"), Boards.request("a", on: Boards.attic))
    var session = SessionStatus(id: "S", phase: .waiting, lastActivity: Boards.at(0))
    session.approvals = [mine.approval]
    var board = FleetView()
    board.pair([(Boards.studio, "studio"), (Boards.attic, "attic")])
    for (request, server) in [(mine, Boards.studio), (theirs, Boards.attic)] {
      board.take(.init(at: Boards.at(1), requests: [request], sessions: [session]), of: server)
    }
    func kind(_ request: ListedRequest) -> ListedRequest.Settlement.Kind? {
      board.request(request.id)?.settlement(at: Boards.at(4))?.kind
    }
    let deny = RequestReply.decision(.deny)
    let isBegun = board.begin(deny, to: theirs.id)
    board.end(deny, to: theirs, .decided, at: Boards.at(2))
    #expect(isBegun && board.openRequests(at: Boards.at(2)) == [mine.id])
    #expect(board.sessions(.waiting).map(\.id.serverID) == [Boards.studio])
    #expect(board.sessions(.running).map(\.id.serverID) == [Boards.attic])
    board.take(.init(at: Boards.at(3)), of: Boards.studio)
    #expect(kind(mine) == .elsewhere && kind(theirs) == .replied(deny, .decided))
    let decisions = ["a": try Self.entry("allow", at: 2)]
    board.take(decisions, of: Boards.attic, at: Boards.at(4))
    #expect(kind(mine) == .elsewhere && kind(theirs) == .replied(deny, .decided))
    board.take(decisions, of: Boards.studio, at: Boards.at(4))
    #expect(kind(mine) == .recorded(isAllowed: true, by: "user"))
  }

  @Test("a late result of a reply does not end the second reply to the same request")
  func secondReply() {
    let request = Boards.request("a")
    var board = Boards.board([request])
    let replies = [RequestReply.decision(.deny), .decision(.allow)]
    for reply in replies {
      let isBegun = board.begin(reply, to: request.id)
      #expect(isBegun)
      if reply == replies[0] {
        board.end(reply, to: request, .unknown, at: Boards.at(1))
        board.take(.init(at: Boards.at(2), requests: [request]), of: Boards.studio)
      }
    }
    board.end(replies[0], to: request, .decided, at: Boards.at(3))
    #expect(board.request(request.id)?.state == .sending(replies[1]))
    board.end(replies[1], to: request, .tooLate, at: Boards.at(4))
    let end = ListedRequest.Settlement(.replied(replies[1], .tooLate), at: Boards.at(4))
    #expect(board.request(request.id)?.state == .settled(end))
  }

  @Test("a recorded decision shows how a request ended, but not after the user's own reply")
  func recorded() throws {
    var board = Boards.board([Boards.request("a"), Boards.request("b")])
    let odd = AuditEntry(json: ["id": "e", "timestamp": 1, "decision": "allow"])
    let decisions = ["a": try Self.entry("deny", at: 15), "b": try #require(odd)]
    board.take(decisions, of: Boards.studio, at: Boards.at(1))
    #expect(board.openCount(at: Boards.at(1)) == 2, "a listed request is pending")
    board.take(.init(at: Boards.at(20), clockOffset: .seconds(5)), of: Boards.studio)
    func kinds() -> [ListedRequest.Settlement.Kind?] {
      board.requests(at: Boards.at(20)).map { $0.settlement(at: Boards.at(20))?.kind }
    }
    #expect(kinds() == [.elsewhere, .elsewhere])
    board.take(decisions, of: Boards.attic, at: Boards.at(20))
    #expect(kinds() == [.elsewhere, .elsewhere], "the record of another server")
    board.take(decisions, of: Boards.studio, at: Boards.at(20))
    let settlement = board.request(Boards.request("a").id)?.settlement(at: Boards.at(20))
    #expect(settlement?.kind == .recorded(isAllowed: false, by: "user"))
    #expect(settlement?.at == Boards.at(10), "on this machine's clock")
    let other = board.request(Boards.request("b").id)?.settlement(at: Boards.at(20))
    #expect(other?.at == Boards.at(20), "a time that cannot be right is not used")
    var own = Boards.board([Boards.request("a")])
    let hasBegun = own.begin(.decision(.allow), to: Boards.request("a").id)
    #expect(hasBegun)
    own.take(.init(at: Boards.at(20)), of: Boards.studio)
    own.take(decisions, of: Boards.studio, at: Boards.at(20))
    #expect(own.request(Boards.request("a").id)?.state == .sending(.decision(.allow)))
  }

  @Test("a record says how an expired request ended, but a time that is yet to come is not used")
  func recordedExpiry() throws {
    var board = Boards.board([Boards.request("a", expires: 10)])
    board.take(.init(at: Boards.at(20)), of: Boards.studio)
    board.take(["a": try Self.entry("allow", at: 21)], of: Boards.studio, at: Boards.at(20))
    let settlement = board.request(Boards.request("a").id)?.settlement(at: Boards.at(20))
    #expect(settlement?.kind == .recorded(isAllowed: true, by: "user"))
    #expect(settlement?.at == Boards.at(10))
  }

  @Test("a request that was gone and is listed again is pending")
  func listedAgain() {
    var board = Boards.board([Boards.request("a")])
    board.take(.init(at: Boards.at(1)), of: Boards.studio)
    #expect(board.openCount(at: Boards.at(1)) == 0)
    board.take(.init(at: Boards.at(2), requests: [Boards.request("a")]), of: Boards.studio)
    #expect(board.openCount(at: Boards.at(2)) == 1)
  }

  @Test("a session waits after a reply only if a question or another request is left")
  func left() {
    let requests = [Boards.request("a"), Boards.request("b")]
    let deny = RequestReply.decision(.deny)
    let cases: [(Int, count: Int, String?, DecisionOutcome, SessionPhase)] = [
      (1, 0, nil, .decided, .running), (1, 1, nil, .tooLate, .running),
      (1, 2, nil, .decided, .waiting), (2, 0, nil, .decided, .waiting),
      (1, 0, "Which?", .decided, .waiting),
      // It may not have arrived.
      (1, 0, nil, .unknown, .waiting), (1, 0, nil, .unconfirmed, .waiting),
    ]
    for (approvals, count, question, outcome, phase) in cases {
      var session = SessionStatus(id: "S", phase: .waiting, lastActivity: Boards.at(0))
      session.approvals = requests.prefix(approvals).map(\.approval)
      session.pendingCount = count
      session.question = question.map { SessionStatus.Question(id: "S", text: $0) }
      var board = Boards.board([])
      let answer = FleetView.Answer(at: Boards.at(1), requests: requests, sessions: [session])
      board.take(answer, of: Boards.studio)
      _ = board.begin(deny, to: requests[0].id)
      board.end(deny, to: requests[0], outcome, at: Boards.at(2))
      #expect(board.sessions().map(\.phase) == [phase], "\(approvals) \(count) \(outcome)")
    }
  }

  @Test("a listed request stands for the waiting session of its own server only")
  func waitingTwins() {
    let session = SessionStatus(id: "S", phase: .waiting, lastActivity: Boards.at(0))
    var board = Boards.board([])
    let asking = FleetView.Answer(
      at: Boards.at(1),
      requests: [Boards.request("a")],
      sessions: [session]
    )
    board.take(asking, of: Boards.studio)
    board.take(.init(at: Boards.at(1), sessions: [session]), of: Boards.attic)
    #expect(board.waitingCount(at: Boards.at(1)) == 1)
  }

  @Test("ended requests come after the pending ones, the latest first, else by id")
  func endedOrder() {
    let early = (10..<20).map { Boards.request("r\($0)") }
    let late = (20..<30).map { Boards.request("r\($0)") }
    let open = Boards.request("s")
    var board = Boards.board(early + late + [open])
    board.take(.init(at: Boards.at(1), requests: late + [open]), of: Boards.studio)
    board.take(.init(at: Boards.at(2), requests: [open]), of: Boards.studio)
    let ids = board.requests(at: Boards.at(2)).map(\.id.requestID)
    #expect(ids == ([open] + late + early).map(\.id.requestID))
  }

  @Test("a request expires by the clock, before the server is queried again")
  func expires() {
    let board = Boards.board([Boards.request("a", expires: 10)])
    let request = board.requests(at: Boards.at(0))[0]
    #expect(request.isOpen(at: Boards.at(9)) && !request.isOpen(at: Boards.at(10)))
    #expect(request.settlement(at: Boards.at(10))?.kind == .expired)
    #expect(board.openCount(at: Boards.at(10)) == 0)
  }

  @Test("a failed query and the answer of another server settle nothing")
  func failure() {
    var board = Boards.board([Boards.request("a")])
    board.take(FleetView.Failure(message: "no route"), of: Boards.studio)
    board.take(.init(at: Boards.at(5)), of: Boards.attic)
    #expect(board.openCount(at: Boards.at(5)) == 1)
    #expect(board.server(Boards.studio)?.failure?.message == "no route")
    #expect(board.server(Boards.studio)?.answer?.at == Boards.at(0))
    board.take(.init(at: Boards.at(6), requests: [Boards.request("a")]), of: Boards.studio)
    #expect(board.server(Boards.studio)?.failure == nil)
  }

  @Test("ended requests stay for 10 minutes, and at most 50 of them")
  func kept() {
    var board = Boards.board((0..<60).map { Boards.request("r\($0)") })
    board.take(.init(at: Boards.at(1)), of: Boards.studio)
    #expect(board.requests(at: Boards.at(1)).count == 50)
    board.take(.init(at: Boards.at(600)), of: Boards.studio)
    #expect(board.requests(at: Boards.at(600)).count == 50)
    board.take(.init(at: Boards.at(601)), of: Boards.studio)
    #expect(board.requests(at: Boards.at(601)).isEmpty)
  }

  @Test("of too many ended requests, the earliest are dropped")
  func latest() {
    let early = (0..<30).map { Boards.request("e\($0)") }
    let late = (0..<30).map { Boards.request("l\($0)") }
    var board = Boards.board(early + late)
    board.take(.init(at: Boards.at(1), requests: late), of: Boards.studio)
    board.take(.init(at: Boards.at(2)), of: Boards.studio)
    let ids = board.requests(at: Boards.at(2)).map(\.id)
    #expect(ids.count == 50 && Set(ids).isSuperset(of: late.map(\.id)))
  }

  @Test("a server that stays paired keeps what is known of it, also under a new name")
  func renamed() {
    var board = Boards.board([Boards.request("a")])
    board.take(FleetView.Failure(message: "no route"), of: Boards.studio)
    board.pair([(Boards.studio, "loft")])
    let server = board.server(Boards.studio)
    #expect(server?.name == "loft" && server?.answer?.at == Boards.at(0))
    #expect(server?.failure?.message == "no route")
    #expect(board.openCount(at: Boards.at(1)) == 1)
  }

  @Test("a server that is no longer paired takes its requests with it")
  func unpaired() {
    var board = Boards.board([Boards.request("a")])
    board.pair([(Boards.attic, "loft")])
    #expect(board.requests(at: Boards.at(0)).isEmpty && board.servers.map(\.name) == ["loft"])
  }
}
