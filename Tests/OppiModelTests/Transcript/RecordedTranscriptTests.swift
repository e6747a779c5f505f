// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import OppiModel
@testable import OppiText
@testable import OppiWire

/// Compares a transcript with the live activity of the same recording.
@Suite struct RecordedTranscriptTests {
  private func transcript(_ recorded: RecordedTrace) -> Transcript {
    let isLoaded = recorded.session.status != .stopped
    return Transcript(
      trace: recorded.trace,
      session: recorded.session,
      events: isLoaded
        ? recorded.recording.frames.map(\.message).filter { $0.sequence != nil } : [],
      isAtWork: recorded.session.status.isAtWork,
      at: recorded.time
    )
  }

  /// The traces whose last turn was followed live to its end.
  private static let heard = RecordedTrace.all.filter { recorded in
    let prompts = recorded.recording.frames.compactMap { frame -> String? in
      guard case .messageEnd(.user, let text) = frame.message.kind else { return nil }
      return text
    }
    let last = recorded.trace.array?.last { $0["type"] == "user" }?["text"].string
    let replay = Replay(recorded.recording, sessionID: recorded.session.id)
    return last.map { $0 == prompts.last } == true && replay.reducer.activity.isFinished
      && !recorded.session.status.isAtWork
  }

  private func outcomes(_ recorded: RecordedTrace) -> [TurnOutcome] {
    Replay(recorded.recording, sessionID: recorded.session.id).steps.compactMap { step in
      guard case .turnFinished(let outcome, _) = step.change else { return nil }
      return outcome
    }
  }

  @Test("recordings with traces exist")
  func recordings() {
    #expect(RecordedTrace.all.count > 25)
    #expect(Self.heard.count > 15)
  }

  @Test(
    "the last turn has the outcome seen live",
    arguments: heard
  )
  func last(recorded: RecordedTrace) throws {
    let heard = try #require(outcomes(recorded).last)
    let read = try #require(transcript(recorded).last?.outcome)
    if case .unknown = read, recorded.session.status == .stopped { return }
    #expect(read.word == heard.word)
    if case .succeeded = heard { #expect(read == heard) }
  }

  @Test(
    "all answers seen live are in the transcript, in order",
    arguments: heard
  )
  func answers(recorded: RecordedTrace) {
    let transcript = transcript(recorded)
    let heard = outcomes(recorded).compactMap { outcome -> String? in
      guard case .succeeded(let answer) = outcome else { return nil }
      return answer
    }
    #expect(transcript.turns(last: .max).compactMap(\.answer).suffix(heard.count) == heard[...])
  }

  @Test("a running turn is not finished, and an ended turn is", arguments: RecordedTrace.all)
  func running(recorded: RecordedTrace) throws {
    let last = try #require(transcript(recorded).last)
    #expect(last.isFinished != recorded.session.status.isAtWork)
  }

  @Test(
    "each call of a trace has its number, its state and its whole output",
    arguments: RecordedTrace.all
  )
  func calls(recorded: RecordedTrace) {
    let transcript = transcript(recorded)
    let entries = recorded.trace.array ?? []
    let calls = transcript.turns(last: .max).flatMap(\.calls)
    #expect(calls.map(\.number) == calls.indices.map { $0 + 1 })
    #expect(calls.count == transcript.callCount)
    #expect(
      calls.compactMap(\.wireID)
        == entries.filter { $0["type"] == "toolCall" }.compactMap(\.["id"].string)
    )
    for call in calls {
      let result = entries.first { $0["toolCallId"].string == call.wireID }
      #expect(call.recordedOutput == result.map { $0["output"].string?.withoutMedia.text ?? "" })
      if let result { #expect((call.state == .succeeded) == (result["isError"] == false)) }
      #expect(transcript.call(call.number)?.wireID == call.wireID)
    }
  }
}
