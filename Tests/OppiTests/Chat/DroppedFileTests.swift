// SPDX-License-Identifier: MIT

import Testing

@testable import Oppi

/// The paths of dropped files, as terminals paste them.
@Suite struct DroppedFileTests {
  @Test(
    "a paste that is only the path of an image names it, however the terminal quotes it",
    arguments: [
      ("/home/u/plan.png", "/home/u/plan.png"), ("/home/u/my plan.png", "/home/u/my plan.png"),
      ("'/home/u/my plan.png' ", "/home/u/my plan.png"),
      ("/home/u/plan.png\n", "/home/u/plan.png"), (#"/home/u/my\ plan.JPG"#, "/home/u/my plan.JPG"),
      (#""/home/u/a \"b\".gif""#, #"/home/u/a "b".gif"#),
      (#"'/home/u/it'\''s.webp'"#, "/home/u/it's.webp"), ("/home/u/it's.png", "/home/u/it's.png"),
      ("file:///home/u/my%20plan.jpeg", "/home/u/my plan.jpeg"),
      ("'file://localhost/tmp/a.png'", "/tmp/a.png"), ("/tmp/ä.png", "/tmp/ä.png"),
    ]
  )
  func images(paste: String, path: String) {
    #expect(DroppedFile.imagePath(in: paste) == path)
  }

  @Test(
    "any other paste is text",
    arguments: [
      "", " ", "plan.png", "~/plan.png", "look at /home/u/plan.png", "/home/u/plan.txt",
      "'/a.png' '/b.png'", "/a.png\n/b.pn", "/a\n.png", "file://elsewhere/a.png",
      "file:a.png", "file:///a%0A.png", "file:///a.png%00", "https://example.org/a.png", "'/a.png",
      "/a\u{1B}.png", "/" + String(repeating: "a", count: 20_000) + ".png",
    ]
  )
  func texts(paste: String) {
    #expect(DroppedFile.imagePath(in: paste) == nil)
  }

  @Test(
    "an argument keeps its blanks and loses its quotes",
    arguments: [
      ("plan.png", "plan.png"), ("my plan.png", "my plan.png"), ("'my plan.png'", "my plan.png"),
      (#"my\ plan.png"#, "my plan.png"), ("~/a.png", "~/a.png"), ("it's.png", "it's.png"),
    ]
  )
  func arguments(text: String, path: String) {
    #expect(DroppedFile.path(text) == path)
  }
}
