// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import OppiModel
@testable import OppiText
@testable import OppiWire

@Suite struct ActivityReducerTests {
  @Test("all recordings can be read")
  func recordings() {
    #expect(Recording.all.map(\.name) == Recording.names)
    #expect(Recording.all.count > 40)
    #expect(Recording.all.allSatisfy { !$0.sessionIDs.isEmpty })
  }

  @Test("each recording produces the recorded changes and state", arguments: Recording.all)
  func snapshots(recording: Recording) throws {
    let texts = recording.sessionIDs.map { id in
      "session \(id)\n" + ActivityDescription.text(of: Replay(recording, sessionID: id))
    }
    try Snapshot.check(texts.joined(separator: "\n"), "activity-\(recording.name).txt")
  }

  @Test("a repeated durable message changes nothing", arguments: Recording.all)
  func durableTwice(recording: Recording) {
    for id in recording.sessionIDs {
      var twice = Replay(sessionID: id)
      for frame in recording.frames {
        twice.play(frame)
        if frame.message.sequence != nil { twice.play(frame) }
      }
      twice.settle()
      let once = Replay(recording, sessionID: id)
      #expect(twice.reducer.activity == once.reducer.activity)
      #expect(twice.steps.map(\.change) == once.steps.map(\.change))
    }
  }

  @Test("a replay of all durable messages of an agent changes nothing", arguments: Recording.all)
  func catchUpTwice(recording: Recording) throws {
    let id = try #require(recording.sessionIDs.first)
    var replay = Replay(sessionID: id)
    var seen: [Recording.Frame] = []
    for frame in recording.frames {
      if case .connected = frame.message.kind { seen = [] }
      replay.play(frame)
      if frame.message.sequence != nil { seen.append(frame) }
    }
    replay.settle()
    let before = replay.reducer.activity
    for frame in seen {
      #expect(replay.reducer.counter.last >= frame.message.sequence ?? 0)
      replay.play(frame)
    }
    #expect(replay.reducer.activity == before)
  }

  @Test("unknown messages change nothing at any position", arguments: Recording.all)
  func unknown(recording: Recording) throws {
    let id = try #require(recording.sessionIDs.first)
    var replay = Replay(sessionID: id)
    for frame in recording.frames {
      replay.play(frame)
      let unknown = ServerMessage(.unknown(type: "from_the_future"), sessionID: id)
      replay.play(Recording.Frame(time: frame.time, message: unknown))
    }
    replay.settle()
    let plain = Replay(recording, sessionID: id)
    #expect(replay.reducer.activity == plain.reducer.activity)
    #expect(replay.steps.map(\.change) == plain.steps.map(\.change))
  }

  @Test("messages of another session change nothing")
  func foreign() throws {
    let recording = try Recording("02-default-turn")
    let replay = Replay(recording, sessionID: "elsewhere")
    #expect(replay.steps.isEmpty)
    #expect(replay.reducer.activity == Turn())
  }
}
