// SPDX-License-Identifier: MIT

package import OppiModel
package import OppiText
package import OppiWire

/// Feeds a recording to a reducer and settles each turn after a grace period.
package struct Replay {
  package static let grace = 1000

  package struct Step {
    package var time: Timestamp
    package var change: ActivityChange
  }

  package private(set) var reducer: ActivityReducer
  package private(set) var steps: [Step] = []
  private var settling: Timestamp?

  package init(sessionID: String) {
    reducer = ActivityReducer(sessionID: sessionID)
  }

  /// Plays a recording as a follower of one of its sessions sees it.
  package init(_ recording: Recording, sessionID: String) {
    self.init(sessionID: sessionID)
    for frame in recording.frames { play(frame) }
    settle()
  }

  package mutating func play(_ frame: Recording.Frame) {
    if let since = settling, frame.time.milliseconds - since.milliseconds > Self.grace { settle() }
    take(reducer.apply(frame.message, at: frame.time), at: frame.time)
    settling = reducer.isSettling ? settling ?? frame.time : nil
  }

  package mutating func begin(
    clientTurnID: String,
    prompt: String,
    isQueued: Bool,
    at time: Timestamp
  ) {
    take(
      reducer.begin(clientTurnID: clientTurnID, prompt: prompt, isQueued: isQueued, at: time),
      at: time
    )
  }

  package mutating func load(_ trace: JSONValue, _ session: Session, at time: Timestamp) {
    take(reducer.load(trace: trace, session: session, at: time), at: time)
  }

  package mutating func settle() {
    guard let since = settling else { return }
    settling = nil
    let time = Timestamp(milliseconds: since.milliseconds + Self.grace)
    take(reducer.settle(), at: time)
  }

  private mutating func take(_ changes: [ActivityChange], at time: Timestamp) {
    steps += changes.map { Step(time: time, change: $0) }
  }
}
