// SPDX-License-Identifier: MIT

import EventLoop
import HTTPCodec
import TestSupport
import Testing

@testable import OppiTransport

@Suite("Long answers")
struct LongAnswersTests {
  @Test("one long answer is read at a time, and a short one without a turn")
  func turns() throws {
    let (long, short) = (LongAnswers.size + 4 * ByteStream.chunkSize, LongAnswers.size)
    #expect(try Self.sizes(while: long, next: long) == [long, nil])
    #expect(try Self.sizes(while: long, next: short) == [long, short])
    #expect(try Self.sizes(while: short, next: long) == [short, long])
  }

  /// The sizes of two answers, of which the first is kept; `nil` for one that got no turn.
  private static func sizes(while first: Int, next second: Int) throws -> [Int?] {
    try onLoop { loop in
      let answers = LongAnswers()
      let kept = try await get(first, among: answers, until: .farOff, on: loop)
      let soon = loop.now + .milliseconds(300)
      let next = try? await get(second, among: answers, until: soon, on: loop)
      return withExtendedLifetime(kept) { [kept.response.body.count, next?.response.body.count] }
    }
  }

  @Test("the next long answer is read when the turn of the one before has ended")
  func next() throws {
    try onLoop { loop in
      let answers = LongAnswers()
      for _ in 0..<2 {
        let answer = try await Self.get(2 << 20, among: answers, until: .farOff, on: loop)
        #expect(answer.turn != nil)
      }
    }
  }

  @Test("after more work than a burst the next turn waits, but not past its deadline")
  func pace() throws {
    try onLoop { loop in
      let answers = LongAnswers()
      try await answers.turn(on: loop, until: .farOff).count(WorkPace.burst, at: loop.now)
      let begin = loop.now
      try await answers.turn(on: loop, until: .farOff).count(.milliseconds(200), at: loop.now)
      let middle = loop.now
      _ = try await answers.turn(on: loop, until: .farOff)
      #expect(middle.duration(to: loop.now) >= .milliseconds(200))
      #expect(begin.duration(to: middle) < middle.duration(to: loop.now))
    }
  }

  private static func get(
    _ size: Int,
    among answers: LongAnswers,
    until deadline: EventLoop.Instant,
    on loop: EventLoop
  ) async throws -> (response: HTTPResponse, turn: LongAnswers.Turn?) {
    try await Conversation(on: loop) { accepted in
      let stream = try await accepted.open()
      _ = try await stream.readRequest()
      try? await stream.write(
        HTTPResponse(status: 200, body: [UInt8](repeating: 32, count: size)).encoded(),
        until: loop.now + .seconds(5)
      )
    } client: { port in
      let connection = try HTTPConnection(to: port, on: loop)
      let request = HTTPRequest(method: "GET", target: "/")
      return try await connection.exchange(
        request,
        bodyLimit: 4 << 20,
        among: answers,
        until: deadline
      )
    }.client.get()
  }
}
