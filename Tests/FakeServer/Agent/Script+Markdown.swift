// SPDX-License-Identifier: MIT

extension Script {
  /// An answer with everything that the layout of Markdown supports.
  static let document = Script(
    words: ["markdown"],
    effect: "answers with lists, a table and code",
    steps: [
      .say(
        text: "I will look at the notes first.",
        calls: [.bash("cat NOTES.md", .prints(["Release notes\n"]))]
      ),
      .say(text: answer),
    ]
  )

  private static let answer = """
    # Release notes

    The release is **ready**, except for two tasks. The rest of this paragraph is long enough to \
    wrap on a narrow terminal, which shows where its words are separated.

    ## Tasks

    - [x] Update the manual
    - [ ] Tag the release
      - the tag needs a signature
      - ~~without a message~~ with a message
    - [ ] Publish

    1. Build:
       ```sh
       swift build -c release
       swift test
       ```
    2. Read [the guide](https://example.com/guide) and https://example.com

    | Platform | State | Notes |
    |:---------|:------|------:|
    | Linux    | done  | tested on two distributions, with the static library |
    | 日本語    | open  | 東京で確認します |
    | עברית    | done  | שלום |

    > A quote, with `code` and an emoji 👩‍💻.

    ```swift
    let greeting = "Hello"
    print(greeting)
    ```

    That is all.
    """
}
