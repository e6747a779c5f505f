// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import OppiModel
@testable import OppiText
@testable import OppiWire

/// What the console shows of requests: the order, and what happens to each request.
@Suite struct FleetViewTests {
  static let studio = Fingerprint(digest: [UInt8](repeating: 1, count: 32))
  static let attic = Fingerprint(digest: [UInt8](repeating: 2, count: 32))

  static func at(_ seconds: Int) -> Timestamp { Timestamp(seconds: 1_000_000 + seconds) }

  static func request(
    _ id: String,
    command: String = "ls",
    expires: Int? = 600,
    on server: Fingerprint = studio,
    isScheduled: Bool = false
  ) -> ListedRequest {
    var request = ListedRequest(
      .call(id, command, timeoutAt: expires.map(at)),
      of: server,
      at: RequestOrigin(server: "studio", sessionID: "S"),
      listedAt: at(0)
    )
    (request.timeToDecide, request.isScheduled) = (.seconds(600), isScheduled)
    return request
  }

  static func board(_ requests: [ListedRequest], at seconds: Int = 0) -> FleetView {
    var board = FleetView()
    board.pair([(studio, "studio"), (attic, "attic")])
    board.take(.init(at: at(seconds), requests: requests), of: studio)
    return board
  }

  private func ids(_ board: FleetView, _ filter: RequestFilter = .all, at seconds: Int)
    -> [String]
  {
    board.requests(filter, at: Self.at(seconds)).map(\.id.requestID)
  }

  // MARK: - Order and filters

  @Test("the highest risk comes first, then the earliest expiry, then those without a limit")
  func order() {
    let board = Self.board([
      Self.request("never", expires: nil), Self.request("late", expires: 500),
      Self.request("soon", expires: 100), Self.request("risky", command: "sudo rm -rf /"),
    ])
    #expect(ids(board, at: 1) == ["risky", "soon", "late", "never"])
  }

  @Test("of requests with the same risk and expiry, the one that has waited longest comes first")
  func waiting() {
    func request(_ id: String, since seconds: Int, expires: Int? = nil) -> ListedRequest {
      var request = Self.request(id, expires: expires)
      request.seenAt = Self.at(seconds)
      return request
    }
    let board = Self.board([
      request("a", since: 30), request("b", since: 10), request("c", since: 20),
      request("d", since: 40, expires: 500),
    ])
    #expect(ids(board, at: 50) == ["d", "b", "c", "a"])
  }

  @Test("the filters show what they name, and only pending requests")
  func filters() {
    var board = Self.board([
      Self.request("plain"), Self.request("risky", command: "sudo id"),
      Self.request("soon", expires: 100), Self.request("cron", isScheduled: true),
    ])
    #expect(ids(board, .highRisk, at: 0) == ["risky"])
    #expect(ids(board, .expiring, at: 0) == ["soon"])
    #expect(ids(board, .expiring, at: 460).count == 3)
    #expect(ids(board, .scheduled, at: 0) == ["cron"])
    #expect(board.openCount(.highRisk, at: Self.at(0)) == 1)
    #expect(board.openCount(at: Self.at(0)) == 4)
    board.take(.init(at: Self.at(1)), of: Self.studio)
    #expect(ids(board, .highRisk, at: 1) == [] && ids(board, at: 1).count == 4)
    #expect(board.openCount(at: Self.at(1)) == 0)
  }

  @Test("a request waits since it was first listed, and a changed one since its change")
  func waits() {
    func later(_ command: String, at seconds: Int) -> ListedRequest {
      var request = Self.request("q", command: command)
      request.seenAt = Self.at(seconds)
      return request
    }
    var board = Self.board([Self.request("q")])
    board.take(.init(at: Self.at(90), requests: [later("ls", at: 90)]), of: Self.studio)
    #expect(board.requests(at: Self.at(90)).map(\.seenAt) == [Self.at(0)])
    board.take(.init(at: Self.at(95), requests: [later("ls /", at: 95)]), of: Self.studio)
    #expect(board.requests(at: Self.at(95)).map(\.seenAt) == [Self.at(95)])
  }

  @Test("a request of the first list has waited since the last activity of its session")
  func waitedBefore() throws {
    var board = FleetView()
    board.pair([(Self.studio, "studio")])
    var request = Self.request("q")
    request.seenAt = Self.at(500)
    let id = try #require(request.id.sessionID)
    let session = SessionStatus(id: id, phase: .waiting, lastActivity: Self.at(400))
    for (command, time) in [("ls", 500), ("rm x", 510)] {
      request = Self.request("q", command: command)
      request.seenAt = Self.at(time)
      board.take(
        .init(at: Self.at(time), requests: [request], sessions: [session]),
        of: Self.studio
      )
      let since = board.requests(at: Self.at(time)).map(\.seenAt)
      #expect(since == [Self.at(command == "ls" ? 400 : 510)], "\(command)")
    }
  }

  @Test("a text filters by command, tool and place, regardless of case")
  func text() {
    let board = Self.board([Self.request("a", command: "git push"), Self.request("b")])
    #expect(board.requests(matching: "PUSH", at: Self.at(0)).map(\.id.requestID) == ["a"])
    #expect(board.requests(matching: "studio", at: Self.at(0)).count == 2)
    #expect(board.requests(matching: "nix", at: Self.at(0)).isEmpty)
  }

  // MARK: - Replies

  @Test("a reply is under way until its result, and begins only once")
  func replies() {
    var board = Self.board([Self.request("a")])
    let id = board.requests(at: Self.at(0))[0].id
    let reply = RequestReply.decision(.allow)
    let (isBegun, isAgain) = (board.begin(reply, to: id), board.begin(.decision(.deny), to: id))
    #expect(isBegun && !isAgain && board.openCount(at: Self.at(1)) == 0)
    // It is listed again, and disappears from the list, before the result is known.
    for requests in [[Self.request("a")], []] {
      board.take(.init(at: Self.at(2), requests: requests), of: Self.studio)
      #expect(board.request(id)?.state == .sending(reply))
    }
    board.end(reply, to: Self.request("a"), .decided, at: Self.at(3))
    let end = ListedRequest.Settlement(.replied(reply, .decided), at: Self.at(3))
    #expect(board.request(id)?.state == .settled(end))
  }

  @Test(
    "a reply that did not reach the server, or meant another call, leaves the request pending",
    arguments: [nil, DecisionOutcome.changed]
  )
  func repliesInVain(outcome: DecisionOutcome?) {
    let board = Self.replied(outcome)
    #expect(board.request(Self.request("a").id)?.state == .pending)
  }

  /// A board whose request was denied, with a result after a second.
  private static func replied(_ outcome: DecisionOutcome?) -> FleetView {
    var board = board([request("a")])
    _ = board.begin(.decision(.deny), to: request("a").id)
    board.end(.decision(.deny), to: request("a"), outcome, at: at(1))
    return board
  }

  @Test(
    "a request that is still listed counts as decided for a moment, or not if the result is unknown",
    arguments: [(DecisionOutcome.decided, 5, 0), (.decided, 11, 1), (.unknown, 2, 1)]
  )
  func listedAgain(outcome: DecisionOutcome, seconds: Int, count: Int) {
    var board = Self.replied(outcome)
    #expect(board.openCount(at: Self.at(1)) == 0)
    board.take(.init(at: Self.at(seconds), requests: [Self.request("a")]), of: Self.studio)
    #expect(board.openCount(at: Self.at(seconds)) == count)
  }

  @Test("another call under the id of a decided request is a new request")
  func changed() {
    var board = Self.board([Self.request("a")])
    let id = board.requests(at: Self.at(0))[0].id
    _ = board.begin(.decision(.allow), to: id)
    let other = Self.request("a", command: "rm -rf build")
    board.take(.init(at: Self.at(1), requests: [other]), of: Self.studio)
    #expect(board.request(id)?.state == .pending)
    // The result of the first reply does not settle the new call, even during the same reply to it.
    board.end(.decision(.allow), to: Self.request("a"), .decided, at: Self.at(2))
    #expect(board.request(id)?.state == .pending)
    _ = board.begin(.decision(.allow), to: id)
    board.end(.decision(.allow), to: Self.request("a"), .decided, at: Self.at(3))
    #expect(board.request(id)?.state == .sending(.decision(.allow)))
    board.end(.decision(.allow), to: other, .decided, at: Self.at(4))
    #expect(board.openCount(at: Self.at(4)) == 0 && board.request(id)?.state != .pending)
  }

  @Test(
    "an answer that is older than the last one changes nothing, unless the clock was set back",
    arguments: [(10, 1), (60, 1), (61, 0)]
  )
  func overlap(age: Int, count: Int) {
    var board = Self.board([])
    board.take(.init(at: Self.at(100), requests: [Self.request("a")]), of: Self.studio)
    board.take(.init(at: Self.at(100 - age)), of: Self.studio)
    #expect(board.openCount(at: Self.at(100)) == count)
  }

  // MARK: - Sessions

  @Test("sessions are grouped by what they need, and the latest come first in a group")
  func sessions() {
    func session(_ id: String, _ phase: SessionPhase, _ seconds: Int, messages: Int = 3)
      -> SessionStatus
    {
      var status = SessionStatus(
        id: id,
        goal: "goal of \(id)",
        phase: phase,
        lastActivity: Self.at(seconds)
      )
      status.messageCount = messages
      return status
    }
    var finished = session("finished", .idle, 1)
    finished.turn = TurnSummary()
    finished.turn?.end = .finished
    var board = Self.board([])
    board.take(
      .init(
        at: Self.at(9),
        sessions: [
          session("unknown", .idle, 1), session("old", .running, 1), session("new", .running, 2),
          session("never", .done, 1, messages: 0), session("ended", .done, 0),
          session("waits", .waiting, 0), session("broke", .failed, 0), finished,
        ]
      ),
      of: Self.studio
    )
    let expected = ["waits", "new", "old", "broke", "unknown", "finished", "never", "ended"]
    #expect(board.sessions().map(\.status.id) == expected)
    #expect(board.sessions(.running).map(\.status.id) == ["new", "old"])
    #expect(board.sessions(matching: "OF BROKE").map(\.status.id) == ["broke"])
    let id = ListedSession.ID(serverID: Self.studio, sessionID: "waits")
    #expect(board.session(id)?.server == "studio")
  }
}
