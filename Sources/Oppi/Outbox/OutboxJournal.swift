// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem

/// Records in a prompt's own file that it is about to be sent.
actor OutboxJournal: DeliveryJournal {
  private(set) var prompt: QueuedPrompt
  private let outbox: OutboxStore
  private let loop: EventLoop

  init(_ prompt: QueuedPrompt, in outbox: OutboxStore, on loop: EventLoop) {
    self.prompt = prompt
    self.outbox = outbox
    self.loop = loop
  }

  func departs(
    _ departure: PromptDelivery.Departure,
    to sessionID: String,
    since elapsed: Duration
  ) throws(FileError) {
    let now = loop.machineTime()
    var noted = prompt
    if noted.target.sessionID == nil { noted.sessionID = sessionID }
    noted.mayHaveSession = false
    noted.become(.departed(departure, at: now.moved(by: .zero - elapsed)), at: now.timeOfDay)
    try outbox.save(noted)
    prompt = noted
  }

  func launches() throws(FileError) {
    // The moment of the first request is kept.
    if case .launched = prompt.state { return }
    let now = loop.machineTime()
    var noted = prompt
    noted.mayHaveSession = false
    noted.become(.launched(at: now), at: now.timeOfDay)
    try outbox.save(noted)
    prompt = noted
  }
}
