import java.util.*;

public class Words {
    static int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

    static int words(int count) {
        Map<String, Integer> seen = new HashMap<>();
        for (int i = 0; i < count; i++) seen.merge("word" + i % 5000, i, Integer::sum);
        return seen.size();
    }

    public static void main(String[] arguments) {
        long sum = 0;
        for (int i = 0; i < 20; i++) sum += fibonacci(30) + words(200000);
        System.out.println(sum);
    }
}
