// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal
import OppiText
import OppiTurns
import OppiWire

/// Any order of server messages and user actions can be shown, with any numbers.
func fuzzTurns(_ bytes: [UInt8]) {
  var ingredients = Ingredients(bytes)
  var onlooker = Onlooker()
  onlooker.size = (1 + Int(ingredients.integer().magnitude % 300), 1 + Int(ingredients.byte() % 60))
  var events: [ServerMessage] = []
  while !ingredients.isSpent {
    guard ingredients.byte() % 8 == 7 else {
      guard let message = ServerMessage(json: ingredients.message()) else { continue }
      onlooker.receive(message)
      events.append(message)
      continue
    }
    act(&onlooker, &ingredients)
  }
  look(back: events, &onlooker, &ingredients)
  onlooker.leave()
}

/// Applies an event that does not come over the stream.
private func act(_ onlooker: inout Onlooker, _ ingredients: inout Ingredients) {
  let kind = ingredients.byte() % 8
  let (text, isTrue) = (ingredients.text(), ingredients.flag())
  switch kind {
  case 0:
    onlooker.show { $0.begin(clientTurnID: "p", prompt: text, isQueued: isTrue, at: $1) }
  case 1: onlooker.show { reducer, _ in reducer.settle() }
  case 2:
    onlooker.show { $0.apply(ServerMessage(.permissionExpired(id: "a")), at: $1) }
  case 3:
    onlooker.show { reducer, _ in
      reducer.answered(question: "a")
      return []
    }
  case 4:
    let trace = ingredients.trace()
    guard let session = Session(json: ingredients.session()) else { return }
    onlooker.show(isPast: true) {
      $0.load(trace: trace, session: session, isAgentLost: isTrue, at: $1)
    }
  // The local clock shows a time between 1970 and the end of the year 9999.
  case 5:
    onlooker.now = Timestamp(
      milliseconds: Int(ingredients.integer().magnitude % 253_402_300_800_000)
    )
  case 6: onlooker.size.width = 1 + Int(ingredients.byte())
  default:
    let later = onlooker.now.milliseconds + Int(ingredients.byte()) * 100
    onlooker.now = Timestamp(milliseconds: later)
  }
}

/// Renders the last turn and the transcript from all received events.
private func look(
  back events: [ServerMessage],
  _ onlooker: inout Onlooker,
  _ ingredients: inout Ingredients
) {
  guard let session = Session(json: ingredients.session()) else { return }
  let trace = ingredients.trace()
  for isAtWork in [false, true] {
    let transcript = Transcript(
      trace: trace,
      session: session,
      events: events,
      isAtWork: isAtWork,
      at: onlooker.now
    )
    read(transcript, width: onlooker.size.width, at: onlooker.now)
    if let turn = transcript.lastAlone { onlooker.draw(turn) }
  }
}

/// Renders all parts of a transcript.
private func read(_ transcript: Transcript, width: Int, at now: Timestamp) {
  let turns = transcript.turns(last: 3)
  let rows = TurnRows.rows(of: turns, width: width, now: now)
  expectSafe(rows.map(\.plain), width: max(8, width))
  for turn in turns { expectSafe(TurnText.text(of: turn), alsoAllowed: ["\n", "\t"]) }
  guard let call = transcript.call(transcript.callCount) else { return }
  expectSafe(CallRows.rows(of: call, width: width).map(\.plain), width: max(8, width))
}
